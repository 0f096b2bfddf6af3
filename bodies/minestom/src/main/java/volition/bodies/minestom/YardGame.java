package volition.bodies.minestom;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.minestom.server.MinecraftServer;
import net.minestom.server.entity.EntityType;
import net.minestom.server.instance.Instance;
import volition.executor.About;
import volition.executor.Executor;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.JsonWriter;
import volition.executor.Reason;
import volition.executor.Resettable;
import volition.executor.Result;

/**
 * The yard as a game that a bridge can drive: the hero attempts what it is asked, in ticks of 50 ms, and reports how that
 * ended. Walls, jumps and falls are Minestom's; attacks, hazards, death and the other body follow the rules of the arena.
 */
final class YardGame implements Executor, Resettable {
    static final String VERSION = "0.1.0";
    /** The shape of a state: the arena's, with the blocks that the hero carries. */
    static final String SCHEMA = "arena-3-with-blocks-1";
    private static final int SPEED = 200;
    private static final int FARTHEST = 1000;
    private static final int HORIZON = 40;
    private static final int ATTACK_DAMAGE = 25;
    private static final int HAZARD_DAMAGE = 2;
    private static final int DOWN_TICKS = 20;
    /** Under a beam a body still rises by this much. */
    private static final int HEADROOM = 100;

    /** What happened, for whoever drives. */
    interface Listener {
        void happened(String event);
    }

    final Yard yard;
    final Hero hero;
    final Foe foe;
    /** What is open, in the order in which it began: at most one movement or piece of work, and one JUMP. */
    final List<Task> open = new ArrayList<>();
    private final Works works = new Works(this);
    private final Listener listener;
    /** What has ended in this tick: the results are sent at its end, so that they tell of the whole tick. */
    private final List<Runnable> ended = new ArrayList<>();
    private boolean stepping;
    private Task walk;
    private Task jump;
    /** The height at which the open JUMP began. */
    private int leftAt;
    private long tick;
    private long episode;
    /** The ticks from a death to the next episode; 0 while the hero lives. */
    int down;
    private long seed;

    YardGame(Instance instance, long seed, Listener listener) {
        this.listener = listener;
        this.seed = seed;
        yard = new Yard(instance);
        hero = new Hero(new Creature("hero", EntityType.VILLAGER, instance));
        foe = new Foe(new Creature("opponent", EntityType.ZOMBIE, instance), yard);
        begin();
    }

    private void begin() {
        episode++;
        down = 0;
        open.clear();
        walk = jump = null;
        works.forget();
        yard.build();
        List<int[]> starts = yard.starts('@');
        hero.begin(starts.get(new SplittableRandom(seed).nextInt(starts.size())));
        foe.begin(seed);
    }

    /** The declared intents, and what the hero does for each. */
    Works works() {
        return works;
    }

    /** One tick, after the game's own physics. */
    void step() {
        tick++;
        if (down > 0 && --down == 0) {
            begin();
            listener.happened("episode_began");
            return;
        }
        hero.rest();
        stepping = true;
        if (hero.body.isAlive()) {
            leap();
            stride();
            works.step();
        }
        boolean returned = foe.act(hero);
        if (hero.body.isAlive() && hero.air == 0 && tileOfHero() == '~') {
            hero.hurt(HAZARD_DAMAGE);
        }
        boolean died = !hero.body.isAlive() && down == 0;
        if (died) {
            endAll(Result.partial(Reason.INVALID_STATE));
            down = DOWN_TICKS;
        }
        stepping = false;
        tell(returned, died);
    }

    private void tell(boolean returned, boolean died) {
        List<Runnable> results = List.copyOf(ended);
        ended.clear();
        results.forEach(Runnable::run);
        if (returned) {
            listener.happened("opponent_returned");
        }
        if (died) {
            listener.happened("actor_died");
        }
    }

    private char tileOfHero() {
        return yard.tileAt(hero.body.x(), hero.body.y());
    }

    /** A JUMP is judged one tick after it was begun, when the physics has had its turn. */
    private void leap() {
        if (jump != null && tick > jump.since + 1) {
            end(jump, hero.body.z() - leftAt > HEADROOM ? Result.success() : Result.failure(Reason.BLOCKED).wasted());
        }
    }

    /** 1/n of what is left of a MOVE, n the least number of ticks that the rest takes. */
    private void stride() {
        if (walk == null) {
            hero.body.rest();
            return;
        }
        int dx = walk.toX - hero.body.x();
        int dy = walk.toY - hero.body.y();
        int ticks = Math.max(1, (int) Math.ceil(Math.hypot(dx, dy) / SPEED));
        if (!hero.body.step(dx / ticks, dy / ticks)) {
            end(walk, walk.steps > 0 ? Result.partial(Reason.BLOCKED) : Result.failure(Reason.BLOCKED));
            return;
        }
        walk.steps++;
        if (hero.body.x() == walk.toX && hero.body.y() == walk.toY) {
            end(walk, Result.success());
        } else if (tick - walk.since >= Math.clamp(walk.attempt.ttlMs() / MinecraftServer.TICK_MS, 1, HORIZON)) {
            end(walk, Result.partial(Reason.NONE));
        }
    }

    @Override
    public About about() {
        return About.game("minestom", VERSION)
            .engine("Minestom, Minecraft " + MinecraftServer.VERSION_NAME)
            .tickHz(MinecraftServer.TICK_PER_SECOND)
            .endsOverdue()
            .without(Intent.EVADE, Intent.HOLD, Intent.RELEASE)
            .schema("arena", "minestom-1", SCHEMA);
    }

    @Override
    public void move(IncomingIntent attempt) {
        if (refusedToTheDead(attempt)) {
            return;
        }
        int[] way = new int[3];
        double[] vector = {attempt.x(), attempt.y(), attempt.z()};
        for (int i = 0; i < 3; i++) {
            way[i] = (int) Math.floor(Math.clamp(vector[i], -FARTHEST - 1, FARTHEST + 1) * Yard.TILE + 0.5);
        }
        int toX = hero.body.x() + way[0];
        int toY = hero.body.y() + way[1];
        if (way[2] != 0 || !yard.isOnMap(Math.floorDiv(toX, Yard.TILE), Math.floorDiv(toY, Yard.TILE))) {
            attempt.finish(Result.failure(Reason.INVALID_STATE).misplaced());
        } else if (way[0] == 0 && way[1] == 0) {
            attempt.fail(Reason.INVALID_STATE);
        } else {
            endOccupation();
            hero.body.facing = Facing.toward(way[0], way[1]);
            walk = begin(attempt);
            walk.toX = toX;
            walk.toY = toY;
        }
    }

    @Override
    public void jump(IncomingIntent attempt) {
        if (refusedToTheDead(attempt)) {
            return;
        }
        if (!hero.body.isOnGround() || jump != null) {
            attempt.finish(Result.failure(Reason.INVALID_STATE).misplaced());
            return;
        }
        Result refusal = Hero.refusal(hero.jumpWait, hero.stamina, Hero.JUMP_COST);
        if (refusal != null) {
            attempt.finish(refusal);
            return;
        }
        hero.payJump();
        leftAt = hero.body.z();
        hero.body.jump();
        jump = begin(attempt);
    }

    @Override
    public void primaryAttack(IncomingIntent attempt) {
        if (refusedToTheDead(attempt)) {
            return;
        }
        Result refusal = Hero.refusal(hero.attackWait, hero.stamina, Hero.ATTACK_COST);
        Creature target = foe.body;
        if (refusal != null) {
            attempt.finish(refusal);
        } else if (!target.isAlive() || !hero.body.isWithin(Hero.REACH, target.x(), target.y())) {
            attempt.fail(Reason.INVALID_STATE);
        } else {
            hero.payAttack();
            hero.body.entity.swingMainHand();
            attempt.finish(hits() ? Result.success().dealt(strike()) : Result.success().wasted());
        }
    }

    /** Whether a swing would hit the opponent where it is: ahead, and not behind a wall. */
    boolean hits() {
        Creature me = hero.body;
        Creature target = foe.body;
        return me.facing.isAhead(target.x() - me.x(), target.y() - me.y())
            && yard.isClear(me.x(), me.y(), target.x(), target.y());
    }

    private int strike() {
        int lost = foe.hurt(ATTACK_DAMAGE);
        hero.damageDealt += lost;
        if (!foe.body.isAlive()) {
            listener.happened("opponent_defeated");
        }
        return lost;
    }

    @Override
    public void stop(IncomingIntent attempt) {
        endAll(Result.partial(Reason.NONE));
        hero.body.rest();
        if (!hero.body.isOnGround()) {
            attempt.finish(Result.partial(Reason.INVALID_STATE).misplaced());
        } else {
            attempt.succeed();
        }
    }

    @Override
    public void cancel(IncomingIntent attempt) {
        for (Task task : List.copyOf(open)) {
            if (task.attempt == attempt) {
                end(task, Result.partial(Reason.NONE));
            }
        }
    }

    @Override
    public void reset(long seed) {
        this.seed = seed;
        begin();
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        YardState.write(out, this);
    }

    @Override
    public long tick() {
        return tick;
    }

    @Override
    public long episode() {
        return episode;
    }

    @Override
    public boolean isAlive() {
        return hero.body.isAlive();
    }

    // What the declared intents need too.

    /** Whether an attempt was refused because the hero is dead. */
    boolean refusedToTheDead(IncomingIntent attempt) {
        if (!hero.body.isAlive()) {
            attempt.finish(Result.failure(Reason.INVALID_STATE).misplaced());
        }
        return !hero.body.isAlive();
    }

    /** Opens an attempt, which ends in a later tick. */
    Task begin(IncomingIntent attempt) {
        Task task = new Task(attempt, tick, hero);
        open.add(task);
        return task;
    }

    /** A new movement or piece of work ends the one before. */
    void endOccupation() {
        if (walk != null) {
            end(walk, Result.partial(Reason.NONE));
        }
        works.interrupt();
    }

    void end(Task task, Result result) {
        open.remove(task);
        if (task == walk) {
            walk = null;
            hero.body.rest();
        } else if (task == jump) {
            jump = null;
            hero.body.stay();
        } else {
            works.forget();
        }
        if (stepping) {
            ended.add(() -> task.finish(result, hero));
        } else {
            task.finish(result, hero);
        }
    }

    private void endAll(Result result) {
        for (Task task : List.copyOf(open)) {
            end(task, result);
        }
    }
}
