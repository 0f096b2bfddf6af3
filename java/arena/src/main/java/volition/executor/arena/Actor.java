package volition.executor.arena;

/** The body that intents move. {@code air} counts the ticks since a jump left the ground; 0 is on the ground. */
final class Actor {
    int x;
    int y;
    int z;
    Facing facing = Facing.EAST;
    int velocityX;
    int velocityY;
    int velocityZ;
    int health = Rules.HEALTH;
    int stamina = Rules.STAMINA;
    boolean holding;
    boolean dashing;
    int air;
    int attackWait;
    int evadeWait;
    int jumpWait;
    int damageDealt;
    int damageReceived;

    Actor(int[] place) {
        x = place[0];
        y = place[1];
    }

    boolean isAlive() {
        return health > 0;
    }

    /** Loses health, never more than there is. */
    void hurt(int damage) {
        int lost = Math.min(damage, health);
        health -= lost;
        damageReceived += lost;
    }

    /** Moves by less than a tile, or stays where the way is closed; whether it moved. Sets the velocity. */
    boolean travel(Ground ground, int dx, int dy) {
        boolean free = ground.passable(x, y, dx, dy, air > 0 ? Ground.BEAM : Ground.WALL);
        velocityX = free ? dx : 0;
        velocityY = free ? dy : 0;
        x += velocityX;
        y += velocityY;
        return free;
    }

    /** Loses all horizontal speed; a fall continues. */
    void rest() {
        velocityX = velocityY = 0;
    }

    /** One tick of vertical motion: a jump begins, continues or lands; on the ground nothing happens. */
    void rise(boolean jumps) {
        if (air > 0 || jumps) {
            air = (air + 1) % Rules.AIR_TICKS;
        }
        int height = Rules.RISE * air * (Rules.AIR_TICKS - air);
        velocityZ = height - z;
        z = height;
    }

    void cool() {
        attackWait = Math.max(0, attackWait - 1);
        evadeWait = Math.max(0, evadeWait - 1);
        jumpWait = Math.max(0, jumpWait - 1);
    }

    boolean isInHazard(Ground ground) {
        return air == 0 && ground.tile(x, y) == Ground.HAZARD;
    }
}
