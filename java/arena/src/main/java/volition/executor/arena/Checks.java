package volition.executor.arena;

import java.util.Set;

/** What is checked before an intent begins: its parameters, the actor's posture, cooldown and stamina. */
final class Checks {
    private static final Set<String> BARE = Set.of("PRIMARY_ATTACK", "EVADE", "HOLD", "RELEASE", "STOP", "JUMP");

    private Checks() {}

    /** Whether this is one of the seven intents with exactly its parameters. */
    static boolean isWellFormed(String intent, double[] vector) {
        if (intent.equals("MOVE")) {
            return vector != null && vector.length == 3
                && Double.isFinite(vector[0]) && Double.isFinite(vector[1]) && Double.isFinite(vector[2]);
        }
        return vector == null && BARE.contains(intent);
    }

    /** A MOVE vector as whole milli-tiles over the ground; null where it leads up, down or too far. */
    static int[] displacement(double[] vector) {
        int[] parts = new int[3];
        for (int i = 0; i < 3; i++) {
            if (Math.abs(vector[i]) > Rules.FARTHEST) {
                return null;
            }
            parts[i] = (int) Math.floor(vector[i] * Rules.TILE + 0.5);
        }
        return parts[2] == 0 ? parts : null;
    }

    /** Why a living actor cannot begin this intent now; null if it can. {@code rising}: it is about to leave the ground. */
    static Conclusion refusal(String intent, Actor actor, boolean rising) {
        boolean airborne = actor.air > 0 || rising;
        boolean needsGround = intent.equals("EVADE") || intent.equals("HOLD") || intent.equals("JUMP");
        if (airborne && needsGround) {
            return Conclusion.OUT_OF_PLACE;
        }
        boolean acts = price(intent) > 0;
        if ((actor.dashing && !intent.equals("RELEASE")) || (actor.holding && acts)) {
            return Conclusion.INVALID;
        }
        if (!acts) {
            return null;
        }
        return wait(intent, actor) > 0 ? Conclusion.COOLING : actor.stamina < price(intent) ? Conclusion.EXHAUSTED : null;
    }

    /** Takes the price of an action that is triggered. */
    static void pay(String intent, Actor actor) {
        actor.stamina -= price(intent);
        switch (intent) {
            case "PRIMARY_ATTACK":
                actor.attackWait = Rules.ATTACK_COOLDOWN;
                break;
            case "EVADE":
                actor.evadeWait = Rules.EVADE_COOLDOWN;
                break;
            default:
                actor.jumpWait = Rules.JUMP_COOLDOWN;
        }
    }

    /** The ticks until an action may be triggered again. */
    static int wait(String intent, Actor actor) {
        switch (intent) {
            case "PRIMARY_ATTACK":
                return actor.attackWait;
            case "EVADE":
                return actor.evadeWait;
            default:
                return actor.jumpWait;
        }
    }

    /** The stamina that an intent costs. */
    static int price(String intent) {
        switch (intent) {
            case "PRIMARY_ATTACK":
                return Rules.ATTACK_COST;
            case "EVADE":
                return Rules.EVADE_COST;
            case "JUMP":
                return Rules.JUMP_COST;
            default:
                return 0;
        }
    }
}
