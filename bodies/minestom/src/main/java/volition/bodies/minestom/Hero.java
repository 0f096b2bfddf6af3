package volition.bodies.minestom;

import volition.executor.Reason;
import volition.executor.Result;

/** The body that the bridge drives: what an action costs, when it is ready again, and what the body carries. */
final class Hero {
    static final int STAMINA = 100;
    static final int REACH = 1500;
    static final int ATTACK_COST = 20;
    static final int JUMP_COST = 15;
    private static final int ATTACK_COOLDOWN = 10;
    /** Longer than a jump lasts. */
    private static final int JUMP_COOLDOWN = 20;
    private static final int FIRST_BLOCKS = 4;

    final Creature body;
    int stamina;
    int attackWait;
    int jumpWait;
    /** The ticks since it left the ground; 0 on it. */
    int air;
    /** How many blocks it can place. */
    int blocks;
    int damageDealt;
    int damageReceived;

    Hero(Creature body) {
        this.body = body;
    }

    void begin(int[] place) {
        body.begin(place, Facing.EAST);
        stamina = STAMINA;
        blocks = FIRST_BLOCKS;
        attackWait = jumpWait = air = damageDealt = damageReceived = 0;
    }

    /** One tick passes. */
    void rest() {
        attackWait = Math.max(0, attackWait - 1);
        jumpWait = Math.max(0, jumpWait - 1);
        stamina = Math.min(STAMINA, stamina + 1);
        air = body.isOnGround() ? 0 : air + 1;
    }

    void hurt(int damage) {
        damageReceived += body.hurt(damage);
    }

    void payAttack() {
        stamina -= ATTACK_COST;
        attackWait = ATTACK_COOLDOWN;
    }

    void payJump() {
        stamina -= JUMP_COST;
        jumpWait = JUMP_COOLDOWN;
    }

    /** Why an action that costs this much cannot be triggered now; null if it can. */
    static Result refusal(int wait, int stamina, int cost) {
        if (wait > 0) {
            return Result.failure(Reason.COOLDOWN);
        }
        return stamina < cost ? Result.failure(Reason.RESOURCE_EXHAUSTED) : null;
    }
}
