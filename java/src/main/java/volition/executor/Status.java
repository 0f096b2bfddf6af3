package volition.executor;

/** What became of an attempt. */
public enum Status {
    /** It was triggered as meant; that says nothing of its goal. */
    SUCCESS,
    /** It was not started, or aborted at once. */
    FAILURE,
    /** It was started and not completed. */
    PARTIAL
}
