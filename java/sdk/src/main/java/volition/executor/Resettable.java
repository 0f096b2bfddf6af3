package volition.executor;

/** What a game implements beside {@link Executor} if it can begin again: the feature {@code reset} is offered then. */
public interface Resettable {
    /**
     * Begin a new episode, which depends on the seed (0 to 2^53 - 1) alone: {@link Executor#episode} changes, and nothing is
     * left of what was before. Open attempts were cancelled before, and each has its result. The answer to the bridge is the
     * new state.
     */
    void reset(long seed);

    /**
     * A promise: after a reset with the same seed, the same intents, each arriving in the same tick since the reset, have the
     * same results and lead to the same states.
     */
    default boolean isDeterministic() {
        return false;
    }
}
