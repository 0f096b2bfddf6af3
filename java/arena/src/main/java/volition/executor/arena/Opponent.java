package volition.executor.arena;

import java.util.Locale;

/**
 * The other body: it patrols until it sees the actor, chases it, winds up, strikes and recovers. {@code timer} is what is
 * left of a windup, a recovery or a defeat, in ticks.
 */
final class Opponent {
    enum Mode {
        PATROL, CHASE, WINDUP, RECOVER, DOWN;

        final String word = name().toLowerCase(Locale.ROOT);
    }

    int x;
    int y;
    Facing facing = Facing.WEST;
    int velocityX;
    int velocityY;
    int health = Rules.HEALTH;
    Mode mode = Mode.PATROL;
    int timer;

    Opponent(int[] place) {
        x = place[0];
        y = place[1];
    }

    boolean isAlive() {
        return health > 0;
    }

    /** Loses health, never more than there is; the health lost. */
    int hurt(int damage) {
        int lost = Math.min(damage, health);
        health -= lost;
        if (health == 0) {
            mode = Mode.DOWN;
            timer = Rules.RETURN_TICKS;
            velocityX = velocityY = 0;
        }
        return lost;
    }

    /** One tick of a living opponent, counted since the seed was set; a strike that lands hurts the actor. */
    void act(Ground ground, Actor actor, long seed, long tick) {
        velocityX = velocityY = 0;
        if (mode == Mode.WINDUP || mode == Mode.RECOVER) {
            bide(ground, actor, seed, tick);
            return;
        }
        int dx = actor.x - x;
        int dy = actor.y - y;
        if (!actor.isAlive() || !reaches(ground, actor, Rules.SIGHT)) {
            mode = Mode.PATROL;
            patrol(ground, seed, tick);
        } else if (Ground.within(dx, dy, Rules.STRIKE_FROM)) {
            mode = Mode.WINDUP;
            timer = Rules.WINDUP_TICKS;
            facing = Facing.toward(dx, dy);
        } else {
            mode = Mode.CHASE;
            chase(ground, dx, dy);
        }
    }

    private void bide(Ground ground, Actor actor, long seed, long tick) {
        timer--;
        if (timer > 0) {
            return;
        }
        if (mode == Mode.RECOVER) {
            mode = Mode.PATROL;
            return;
        }
        if (actor.isAlive() && !actor.dashing && reaches(ground, actor, Rules.STRIKE_REACH)) {
            actor.hurt(actor.holding ? Rules.GUARDED_DAMAGE : Rules.STRIKE_DAMAGE);
        }
        mode = Mode.RECOVER;
        timer = Rules.RECOVER_TICKS + Chance.draw(seed, tick, Chance.RECOVERY, Rules.RECOVER_SPREAD);
    }

    /** Straight ahead; where that is closed, the first open way to the right of a random one. */
    private void patrol(Ground ground, long seed, long tick) {
        if (step(ground, facing, facing.dx * Rules.PATROL_SPEED, facing.dy * Rules.PATROL_SPEED)) {
            return;
        }
        int drawn = Chance.draw(seed, tick, Chance.PATROL_TURN, 4);
        for (int turn = 0; turn < 4; turn++) {
            Facing way = Facing.at(drawn + turn);
            if (step(ground, way, way.dx * Rules.PATROL_SPEED, way.dy * Rules.PATROL_SPEED)) {
                return;
            }
        }
    }

    /** Along the longer axis, or the other one where that is closed. */
    private void chase(Ground ground, int dx, int dy) {
        int alongX = Math.max(-Rules.CHASE_SPEED, Math.min(Rules.CHASE_SPEED, dx));
        int alongY = Math.max(-Rules.CHASE_SPEED, Math.min(Rules.CHASE_SPEED, dy));
        if (Math.abs(dx) >= Math.abs(dy)) {
            if (!follow(ground, alongX, 0)) {
                follow(ground, 0, alongY);
            }
        } else if (!follow(ground, 0, alongY)) {
            follow(ground, alongX, 0);
        }
    }

    private boolean follow(Ground ground, int dx, int dy) {
        return (dx != 0 || dy != 0) && step(ground, Facing.toward(dx, dy), dx, dy);
    }

    private boolean step(Ground ground, Facing way, int dx, int dy) {
        if (!ground.passable(x, y, dx, dy, Ground.HAZARD)) {
            return false;
        }
        x += dx;
        y += dy;
        facing = way;
        velocityX = dx;
        velocityY = dy;
        return true;
    }

    private boolean reaches(Ground ground, Actor actor, int reach) {
        return Ground.within(actor.x - x, actor.y - y, reach) && ground.clear(x, y, actor.x, actor.y);
    }
}
