package volition.executor;

/**
 * What a game implements to be driven by a bridge. It attempts what it is asked and reports the outcome truthfully; it
 * never decides, retries or aims. All methods are called on the thread that calls {@link ExecutorServer#tick}, and none
 * of them may block.
 *
 * <p>Each intent has a method, which gets an {@link IncomingIntent} and ends it, at once or later. Only {@link #stop}
 * must be written; an intent that {@link About#without} excludes is never passed on.
 */
public interface Executor {
    /** What the game is and can do; asked once for every connection. */
    About about();

    /** Use the primary offensive action once. Fails with INVALID_STATE out of range, with COOLDOWN too soon. */
    default void primaryAttack(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /** One dash, roll or the like away from the threat. Fails with BLOCKED where the actor did not move. */
    default void evade(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /**
     * Begin to move by (or to, as {@link About#absoluteMoves} says) the vector of the attempt. It ends with SUCCESS on
     * arrival, with PARTIAL or FAILURE and BLOCKED at an obstruction, with PARTIAL when another MOVE supersedes it or its
     * time is over. Check that the actor moved before you say SUCCESS.
     */
    default void move(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /** Begin to hold: block, charge. Ends with SUCCESS at once; a later interruption is an event. */
    default void hold(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /** End what HOLD began. Fails with INVALID_STATE where nothing was held. */
    default void release(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /** Jump once. Fails with BLOCKED where the actor stayed on the ground, with INVALID_STATE in mid-air. */
    default void jump(IncomingIntent attempt) {
        unsupported(attempt);
    }

    /**
     * Cease all movement and action. Attempts still open are ended as PARTIAL, unless the game has ended them itself. It
     * is also called when the bridge is lost: an actor without a bridge stands still.
     */
    void stop(IncomingIntent attempt);

    /**
     * End an open attempt as PARTIAL: the bridge cancels it, a reset follows, or its time is over (unless
     * {@link About#endsOverdue} says that the game does that itself).
     */
    default void cancel(IncomingIntent attempt) {}

    /**
     * Write one JSON value that describes the world; {@code full} asks for what never changes too, such as a map. It is
     * called once for each recipient of the state.
     */
    void describe(JsonWriter out, boolean full);

    /** The tick of the world, from 0 up. A tick that does not grow tells the bridge that the game is stuck. */
    long tick();

    /** Changes when the world is reset or the actor dies: intents based on a former episode are refused. */
    default long episode() {
        return 0;
    }

    /** What {@code engine_timestamp} is, in the unit of {@link About#clock}; the tick unless the game says otherwise. */
    default long timestamp() {
        return tick();
    }

    /** Whether the actor is alive. */
    default boolean isAlive() {
        return true;
    }

    /** A driving bridge has connected; observers are not reported. */
    default void connected(String client) {}

    /** The bridge is gone; {@link #stop} has already been called. */
    default void disconnected(String reason) {}

    private static void unsupported(IncomingIntent attempt) {
        attempt.finish(Result.failure(Reason.UNKNOWN).because("UNSUPPORTED"));
    }
}
