package volition.executor;

/**
 * What a game implements beside {@link Executor} if it has several actors: intents, states and results then concern the one
 * that the bridge names with {@code agent}. An intent for an actor that the game does not know is refused before the game
 * sees it; a STOP is not, because it must never fail. Without a name, everything is about the world as a whole, as
 * {@link Executor} describes it.
 */
public interface SeveralActors {
    /** Whether there is an actor of this name. */
    boolean knows(String agent);

    /** Like {@link Executor#describe}, as this actor knows the world. */
    void describe(JsonWriter out, boolean full, String agent);

    /** Whether this actor is alive. */
    boolean isAlive(String agent);

    /**
     * The episode of this actor: it changes when the actor begins again, and when the world does. Intents for the actor that are
     * based on a state of a former one are refused; those for others are not.
     */
    long episode(String agent);
}
