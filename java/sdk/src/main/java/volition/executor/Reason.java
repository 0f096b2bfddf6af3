package volition.executor;

/** Why an attempt failed or stayed partial. */
public enum Reason {
    NONE,
    /** The action is not ready again yet. */
    COOLDOWN,
    /** Something is in the way. */
    BLOCKED,
    /** The intent does not fit the world as it is: the bridge will look again. */
    INVALID_STATE,
    /** The resources for the action are missing. */
    RESOURCE_EXHAUSTED,
    UNKNOWN
}
