package volition.bodies.minestom;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** The other body: it patrols until it sees the hero, chases it, winds up, strikes and recovers, by the rules of the arena. */
final class Foe {
    enum Mode {
        PATROL, CHASE, WINDUP, RECOVER, DOWN;

        final String word = name().toLowerCase(Locale.ROOT);
    }

    private static final int PATROL_SPEED = 100;
    private static final int CHASE_SPEED = 150;
    private static final int SIGHT = 6000;
    private static final int STRIKE_FROM = 1000;
    private static final int STRIKE_REACH = 1200;
    private static final int STRIKE_DAMAGE = 20;
    private static final int WINDUP_TICKS = 6;
    private static final int RECOVER_TICKS = 11;
    private static final int RETURN_TICKS = 60;

    final Creature body;
    Mode mode;
    /** The ticks that are left of a windup, a recovery or a defeat. */
    int timer;
    private final Yard yard;
    private SplittableRandom chance;

    Foe(Creature body, Yard yard) {
        this.body = body;
        this.yard = yard;
    }

    void begin(long seed) {
        chance = new SplittableRandom(seed);
        comeBack();
    }

    private void comeBack() {
        List<int[]> starts = yard.starts('&');
        body.begin(starts.get(chance.nextInt(starts.size())), Facing.WEST);
        mode = Mode.PATROL;
        timer = 0;
    }

    /** Loses health; what it lost. */
    int hurt(int damage) {
        int lost = body.hurt(damage);
        if (!body.isAlive()) {
            mode = Mode.DOWN;
            timer = RETURN_TICKS;
        }
        return lost;
    }

    /** One tick; whether it has come back in it. */
    boolean act(Hero hero) {
        body.rest();
        Creature target = hero.body;
        if (mode == Mode.DOWN) {
            timer--;
            if (timer == 0) {
                comeBack();
                return true;
            }
        } else if (mode == Mode.WINDUP || mode == Mode.RECOVER) {
            bide(hero);
        } else if (!target.isAlive() || !reaches(target, SIGHT)) {
            mode = Mode.PATROL;
            patrol();
        } else if (body.isWithin(STRIKE_FROM, target.x(), target.y())) {
            mode = Mode.WINDUP;
            timer = WINDUP_TICKS;
            body.turn(Facing.toward(target.x() - body.x(), target.y() - body.y()));
        } else {
            mode = Mode.CHASE;
            chase(target.x() - body.x(), target.y() - body.y());
        }
        return false;
    }

    private void bide(Hero hero) {
        timer--;
        if (timer > 0) {
            return;
        }
        if (mode == Mode.RECOVER) {
            mode = Mode.PATROL;
            return;
        }
        body.entity.swingMainHand();
        if (hero.body.isAlive() && reaches(hero.body, STRIKE_REACH)) {
            hero.hurt(STRIKE_DAMAGE);
        }
        mode = Mode.RECOVER;
        timer = RECOVER_TICKS + chance.nextInt(8);
    }

    private void patrol() {
        if (step(body.facing, PATROL_SPEED)) {
            return;
        }
        int first = chance.nextInt(4);
        for (int turn = 0; turn < 4; turn++) {
            if (step(Facing.values()[(first + turn) % 4], PATROL_SPEED)) {
                return;
            }
        }
    }

    /** Along the longer axis, or the other one where that is closed. */
    private void chase(int dx, int dy) {
        Facing along = Facing.toward(dx, dy);
        boolean byX = along.dx != 0;
        Facing across = byX ? Facing.toward(0, dy) : Facing.toward(dx, 0);
        int far = Math.abs(byX ? dx : dy);
        int aside = Math.abs(byX ? dy : dx);
        if (far == 0 || !step(along, Math.min(far, CHASE_SPEED))) {
            if (aside > 0) {
                step(across, Math.min(aside, CHASE_SPEED));
            }
        }
    }

    private boolean step(Facing way, int length) {
        int dx = way.dx * length;
        int dy = way.dy * length;
        if (yard.tileAt(body.x() + dx, body.y() + dy) == '~' || !body.isFree(dx, dy)) {
            return false;
        }
        body.facing = way;
        return body.step(dx, dy);
    }

    private boolean reaches(Creature target, int reach) {
        return body.isWithin(reach, target.x(), target.y())
            && yard.isClear(body.x(), body.y(), target.x(), target.y());
    }
}
