package volition.executor.arena;

/**
 * The constants of the arena, shared by all of its implementations. Lengths are milli-tiles, times are ticks;
 * {@link #VERSION} changes with every change of a number here or of a rule of the arena.
 */
final class Rules {
    static final int VERSION = 3;

    static final int TILE = 1000;
    static final int TICK_MS = 50;
    static final int SMALLEST_MAP = 3;
    static final int LARGEST_MAP = 64;
    static final int FARTHEST = 1000;
    static final long LARGEST_SEED = (1L << 53) - 1;

    static final int HEALTH = 100;
    static final int STAMINA = 100;

    static final int WALK_SPEED = 200;
    static final int GUARD_SPEED = 100;
    static final int MOVE_HORIZON = 40;

    static final int ATTACK_REACH = 1500;
    static final int ATTACK_DAMAGE = 25;
    static final int ATTACK_COST = 20;
    static final int ATTACK_COOLDOWN = 10;

    static final int DASH_SPEED = 400;
    static final int DASH_TICKS = 3;
    static final int EVADE_COST = 30;
    static final int EVADE_COOLDOWN = 20;

    static final int AIR_TICKS = 8;
    static final int RISE = 50;
    static final int JUMP_COST = 15;
    static final int JUMP_COOLDOWN = 10;

    static final int HAZARD_DAMAGE = 2;
    static final int DOWN_TICKS = 20;

    static final int PATROL_SPEED = 100;
    static final int CHASE_SPEED = 150;
    static final int SIGHT = 6000;
    static final int STRIKE_FROM = 1000;
    static final int STRIKE_REACH = 1200;
    static final int STRIKE_DAMAGE = 20;
    static final int GUARDED_DAMAGE = 5;
    static final int WINDUP_TICKS = 6;
    static final int RECOVER_TICKS = 11;
    static final int RECOVER_SPREAD = 8;
    static final int RETURN_TICKS = 60;

    static final int SIGHT_PARTS = 32;

    private Rules() {}
}
