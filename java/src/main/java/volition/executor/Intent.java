package volition.executor;

import java.util.List;

/** The seven canonical intents; there is no eighth. Only MOVE has a parameter: {@code vector}, three finite numbers. */
public enum Intent {
    PRIMARY_ATTACK, EVADE, MOVE, HOLD, RELEASE, STOP, JUMP;

    private static final double[] BARE = {};

    /** The intent of that name; null where there is none. */
    static Intent named(String name) {
        return switch (name) {
            case "PRIMARY_ATTACK" -> PRIMARY_ATTACK;
            case "EVADE" -> EVADE;
            case "MOVE" -> MOVE;
            case "HOLD" -> HOLD;
            case "RELEASE" -> RELEASE;
            case "STOP" -> STOP;
            case "JUMP" -> JUMP;
            default -> null;
        };
    }

    /** The vector of these parameters, empty for an intent without one; null where they are not this intent's. */
    double[] vectorOf(JsonObject parameters) {
        int given = parameters == null ? 0 : parameters.size();
        if (this != MOVE) {
            return given == 0 ? BARE : null;
        }
        if (given != 1 || !(parameters.get("vector") instanceof List<?> parts) || parts.size() != 3) {
            return null;
        }
        double[] vector = new double[3];
        for (int i = 0; i < 3; i++) {
            if (!(parts.get(i) instanceof Number part)) {
                return null;
            }
            vector[i] = part.doubleValue();
        }
        return vector;
    }
}
