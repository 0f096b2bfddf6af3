package volition.executor;

/** The outcome of an attempt. */
public enum Status {
    /** It was triggered as intended, which does not say that its goal was reached. */
    SUCCESS,
    /** It was not started, or aborted at once. */
    FAILURE,
    /** It was started and not completed. */
    PARTIAL
}
