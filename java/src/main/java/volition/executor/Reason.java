package volition.executor;

/** Why an attempt failed or stayed partial. */
public enum Reason {
    NONE,
    /** The action is not ready again yet. */
    COOLDOWN,
    /** Something stands in the way. */
    BLOCKED,
    /** The intent does not fit the world as it is: the bridge will look at it anew. */
    INVALID_STATE,
    /** What the action costs is not there. */
    RESOURCE_EXHAUSTED,
    UNKNOWN
}
