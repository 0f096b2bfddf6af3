package volition.executor;

import java.util.List;

/**
 * The seven intents that mean the same in every game; a game may declare others. Only MOVE has a parameter:
 * {@code vector}, three finite numbers.
 */
public enum Intent {
    PRIMARY_ATTACK, EVADE, MOVE, HOLD, RELEASE, STOP, JUMP;

    private static final Intent[] ALL = values();
    private static final double[] BARE = {};

    /** The intent of that name; null where there is none. */
    static Intent named(String name) {
        for (Intent intent : ALL) {
            if (intent.name().equals(name)) {
                return intent;
            }
        }
        return null;
    }

    /** The vector of these parameters, empty for an intent without one; null where they are not this intent's. */
    double[] vectorOf(JsonObject parameters) {
        int given = parameters == null ? 0 : parameters.size();
        if (this != MOVE) {
            return given == 0 ? BARE : null;
        }
        Object value = given == 1 ? parameters.get("vector") : null;
        List<?> parts = value instanceof List ? (List<?>) value : List.of();
        if (parts.size() != 3) {
            return null;
        }
        double[] vector = new double[3];
        for (int i = 0; i < 3; i++) {
            if (!(parts.get(i) instanceof Number)) {
                return null;
            }
            vector[i] = ((Number) parts.get(i)).doubleValue();
        }
        return vector;
    }
}
