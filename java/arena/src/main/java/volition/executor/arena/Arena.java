package volition.executor.arena;

import java.util.List;
import volition.executor.Reason;

/**
 * One actor and one opponent on a map. The arena attempts the intents that it is given, in ticks of 50 ms,
 * and reports how they end; it never decides, retries or aims. Same map, seed and calls: exactly the same states in
 * every implementation of these rules.
 *
 * <p>{@link #attempt}, {@link #step}, {@link #cancel} and {@link #reset} change the arena, and each returns what ended in
 * it: every intent that {@link #attempt} accepts ends exactly once, unless a reset drops it.
 */
final class Arena {
    final Ground ground;
    final long horizon;
    long seed;
    long seq;
    long tick;
    long episode;
    int down;
    Actor actor;
    Opponent opponent;
    Busy busy;

    private long firstSeq;
    /** The tick in which the seed was set. */
    private long seeded;
    private long hold = -1;
    private final ArenaReport report = new ArenaReport();

    /**
     * {@code seed} decides where both bodies start and what the opponent does by chance; {@code horizonMs} is the longest
     * that a MOVE stays open.
     */
    Arena(Ground ground, long seed, long horizonMs) {
        if (horizonMs < Rules.TICK_MS) {
            throw new IllegalArgumentException("a horizon of " + horizonMs + " ms");
        }
        checkSeed(seed);
        this.ground = ground;
        this.seed = seed;
        horizon = horizonMs / Rules.TICK_MS;
        begin();
    }

    Arena(Ground ground, long seed) {
        this(ground, seed, (long) Rules.MOVE_HORIZON * Rules.TICK_MS);
    }

    /**
     * Begins an intent. {@code vector} is that of a MOVE, null for all others; {@code basedOn} is the {@code seq} of the
     * state in which it was chosen, or negative. A MOVE stays open for {@code ticks} at most, and never beyond the
     * horizon. STOP is attempted in every state.
     */
    ArenaReport attempt(String intent, double[] vector, long id, long basedOn, long ticks) {
        if (ticks < 1) {
            throw new IllegalArgumentException("a MOVE has at least one tick, not " + ticks);
        }
        if (id < 0 || busy.find(id) != null) {
            throw new IllegalArgumentException("the id " + id + " is open or invalid");
        }
        next();
        Busy.Task task = new Busy.Task(id, intent, tick, Math.min(ticks, horizon), actor);
        Conclusion ending = begin(task, vector, basedOn);
        if (ending != null) {
            report.results.add(task.finish(ending, actor, tick));
        }
        return report;
    }

    /** Advances by one tick. */
    ArenaReport step() {
        next();
        tick++;
        if (down > 0 && --down == 0) {
            begin();
            return report;
        }
        actor.cool();
        if (actor.isAlive()) {
            act();
        }
        if (opponent.isAlive()) {
            opponent.act(ground, actor, seed, tick - seeded);
        } else if (--opponent.timer == 0) {
            opponent = newOpponent();
            tell("opponent_returned", null, null);
        }
        if (actor.isAlive() && actor.isInHazard(ground)) {
            actor.hurt(Rules.HAZARD_DAMAGE);
        }
        settle();
        return report;
    }

    /** Ends an open intent as PARTIAL; no effect where it is not open. */
    ArenaReport cancel(long id) {
        next();
        Busy.Task task = busy.find(id);
        if (task != null) {
            interrupt(task, Reason.NONE);
        }
        return report;
    }

    /**
     * Begins again, as a new arena with this seed on the same map; {@code seq}, {@code tick} and {@code episode} continue.
     * Open intents are dropped without results.
     */
    ArenaReport reset(long seed) {
        checkSeed(seed);
        next();
        this.seed = seed;
        seeded = tick;
        dropHold(Reason.INVALID_STATE);
        begin();
        return report;
    }

    private void next() {
        seq++;
        report.clear();
    }

    /** Puts both bodies at their starts: a new episode begins. */
    private void begin() {
        episode++;
        firstSeq = seq;
        down = 0;
        actor = new Actor(start(Chance.ACTOR_START, ground.actorStarts));
        opponent = newOpponent();
        busy = new Busy();
        hold = -1;
        if (episode > 1) {
            tell("episode_began", episode, null);
        }
    }

    private Opponent newOpponent() {
        return new Opponent(start(Chance.OPPONENT_START, ground.opponentStarts));
    }

    /** The one of these places where a body starts. */
    private int[] start(int purpose, List<int[]> places) {
        return places.get(Chance.draw(seed, tick - seeded, purpose, places.size()));
    }

    private static void checkSeed(long seed) {
        if (seed < 0 || seed > Rules.LARGEST_SEED) {
            throw new IllegalArgumentException("a seed of " + seed);
        }
    }

    /** Begins an intent; how it ended, or null if it stays open. */
    private Conclusion begin(Busy.Task task, double[] vector, long basedOn) {
        if (!Checks.isWellFormed(task.intent, vector)) {
            return Conclusion.MALFORMED;
        }
        if (task.intent.equals("STOP")) {
            return stop();
        }
        if (!actor.isAlive()) {
            return Conclusion.OUT_OF_PLACE;
        }
        if (basedOn >= 0 && (basedOn < firstSeq || basedOn >= seq)) {
            return Conclusion.INVALID;
        }
        Conclusion hindrance = Checks.refusal(task.intent, actor, busy.jump != null);
        if (hindrance != null) {
            return hindrance;
        }
        switch (task.intent) {
            case "MOVE":
                return startWalk(task, vector);
            case "PRIMARY_ATTACK":
                return swing();
            case "EVADE":
                return startDash(task);
            case "JUMP":
                return startJump(task);
            case "HOLD":
                return startHold(task.id);
            default:
                return release();
        }
    }

    private Conclusion startWalk(Busy.Task task, double[] vector) {
        int[] way = Checks.displacement(vector);
        if (way == null || !ground.contains(actor.x + way[0], actor.y + way[1])) {
            return Conclusion.OUT_OF_PLACE;
        }
        if (way[0] == 0 && way[1] == 0) {
            return Conclusion.INVALID;
        }
        supersede();
        actor.facing = Facing.toward(way[0], way[1]);
        task.toX = actor.x + way[0];
        task.toY = actor.y + way[1];
        busy.walk = task;
        busy.open.add(task);
        return null;
    }

    /** Dashes away from the opponent along the longer axis; backwards where there is no opponent to avoid. */
    private Conclusion startDash(Busy.Task task) {
        Checks.pay("EVADE", actor);
        supersede();
        int dx = actor.x - opponent.x;
        int dy = actor.y - opponent.y;
        boolean threatened = opponent.isAlive() && (dx != 0 || dy != 0);
        task.way = threatened ? Facing.toward(dx, dy) : actor.facing.back();
        actor.dashing = true;
        busy.dash = task;
        busy.open.add(task);
        return null;
    }

    /** Leaves the ground in the next tick, if there is room. */
    private Conclusion startJump(Busy.Task task) {
        Checks.pay("JUMP", actor);
        busy.jump = task;
        busy.open.add(task);
        return null;
    }

    /** A new movement ends the MOVE that is open. */
    private void supersede() {
        if (busy.walk != null) {
            interrupt(busy.walk, Reason.NONE);
        }
    }

    /** Hits an opponent in reach, in the quarter that the actor faces, and not behind a wall. */
    private Conclusion swing() {
        int dx = opponent.x - actor.x;
        int dy = opponent.y - actor.y;
        if (!opponent.isAlive() || !Ground.within(dx, dy, Rules.ATTACK_REACH)) {
            return Conclusion.INVALID;
        }
        Checks.pay("PRIMARY_ATTACK", actor);
        if (!actor.facing.isAhead(dx, dy) || !ground.clear(actor.x, actor.y, opponent.x, opponent.y)) {
            return Conclusion.MISSED;
        }
        actor.damageDealt += opponent.hurt(Rules.ATTACK_DAMAGE);
        if (!opponent.isAlive()) {
            tell("opponent_defeated", null, null);
        }
        return Conclusion.DONE;
    }

    private Conclusion startHold(long id) {
        if (!actor.holding) {
            if (actor.stamina == 0) {
                return Conclusion.EXHAUSTED;
            }
            actor.holding = true;
            hold = id;
        }
        return Conclusion.DONE;
    }

    private Conclusion release() {
        if (!actor.holding) {
            return Conclusion.INVALID;
        }
        actor.holding = false;
        return Conclusion.DONE;
    }

    /** Ends everything that is active. In the air the body cannot be stopped: it flies on. */
    private Conclusion stop() {
        interruptAll(Reason.NONE);
        actor.holding = false;
        if (actor.air > 0) {
            return Conclusion.ADRIFT;
        }
        actor.rest();
        return Conclusion.DONE;
    }

    private void act() {
        busy.advance(actor, ground, tick);
        if (!actor.holding) {
            actor.stamina = Math.min(Rules.STAMINA, actor.stamina + 1);
        } else if (--actor.stamina == 0) {
            dropHold(Reason.RESOURCE_EXHAUSTED);
        }
    }

    /** Reports the results that are due at the end of a tick; if the actor has died, those of all open intents. */
    private void settle() {
        boolean died = !actor.isAlive() && down == 0;
        for (Busy.Task task : List.copyOf(busy.open)) {
            if (task.ending != null) {
                finish(task, task.ending);
            } else if (died) {
                interrupt(task, Reason.INVALID_STATE);
            }
        }
        if (died) {
            dropHold(Reason.INVALID_STATE);
            actor.air = actor.z = 0;
            actor.velocityX = actor.velocityY = actor.velocityZ = 0;
            down = Rules.DOWN_TICKS;
            tell("actor_died", null, null);
        }
    }

    private void interruptAll(Reason reason) {
        for (Busy.Task task : List.copyOf(busy.open)) {
            interrupt(task, reason);
        }
    }

    private void interrupt(Busy.Task task, Reason reason) {
        finish(task, busy.interruption(task, reason));
    }

    private void finish(Busy.Task task, Conclusion ending) {
        busy.end(task, ending, actor);
        report.results.add(task.finish(ending, actor, tick));
    }

    /** Ends a HOLD without a RELEASE. */
    private void dropHold(Reason reason) {
        if (actor.holding) {
            tell("hold_ended", hold, reason.name());
            actor.holding = false;
        }
    }

    private void tell(String name, Long number, String reason) {
        report.events.add(new ArenaReport.Event(name, tick, number, reason));
    }
}
