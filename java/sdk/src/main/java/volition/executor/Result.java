package volition.executor;

/**
 * The one result of an attempt. Status and reason agree by construction, and the flags follow from them. What a game does
 * not say is filled in when the result is sent: the time that the attempt took is measured, the timestamp is the game's
 * {@link Executor#timestamp}, and whether the actor lives is asked of the game.
 *
 * <pre>{@code
 * Result.success().dealt(25)
 * Result.failure(Reason.BLOCKED).wasted()
 * }</pre>
 */
public final class Result {
    private final Status status;
    private final Reason reason;
    private final boolean outOfPlace;
    private final double damageDealt;
    private final double damageReceived;
    private final boolean actionWasted;
    private final Boolean alive;
    private final Long timestamp;
    private final Double tookMs;
    private final String note;

    /**
     * A result with everything that a game can say. Status and reason must agree, and the numbers must be valid;
     * what is null is filled in when the result is sent.
     */
    public Result(
        Status status, Reason reason, boolean outOfPlace, double damageDealt, double damageReceived,
        boolean actionWasted, Boolean alive, Long timestamp, Double tookMs, String note) {
        if ((status == Status.SUCCESS) != (reason == Reason.NONE) && status != Status.PARTIAL) {
            throw new IllegalArgumentException(status + " with the reason " + reason);
        }
        if (!amount(damageDealt) || !amount(damageReceived) || (tookMs != null && !amount(tookMs))) {
            throw new IllegalArgumentException("damage and time are finite numbers from 0 up");
        }
        if (timestamp != null && Math.abs(timestamp) > JsonReader.MAX_INTEGER) {
            throw new IllegalArgumentException("the timestamp " + timestamp + " is beyond 2^53 - 1");
        }
        this.status = status;
        this.reason = reason;
        this.outOfPlace = outOfPlace;
        this.damageDealt = damageDealt;
        this.damageReceived = damageReceived;
        this.actionWasted = actionWasted;
        this.alive = alive;
        this.timestamp = timestamp;
        this.tookMs = tookMs;
        this.note = note;
    }

    /** It was triggered as intended. */
    public static Result success() {
        return of(Status.SUCCESS, Reason.NONE);
    }

    /** It was not started, or aborted at once, for a reason other than NONE. */
    public static Result failure(Reason reason) {
        return of(Status.FAILURE, reason);
    }

    /** It was started and not completed; the reason may be NONE: cancelled, superseded, its time was over. */
    public static Result partial(Reason reason) {
        return of(Status.PARTIAL, reason);
    }

    private static Result of(Status status, Reason reason) {
        return new Result(status, reason, false, 0, 0, false, null, null, null, null);
    }

    /** The damage that the actor dealt during the attempt. */
    public Result dealt(double damage) {
        return new Result(
            status, reason, outOfPlace, damage, damageReceived, actionWasted, alive, timestamp, tookMs, note);
    }

    /** The damage that the actor received during the attempt. */
    public Result received(double damage) {
        return new Result(status, reason, outOfPlace, damageDealt, damage, actionWasted, alive, timestamp, tookMs, note);
    }

    /** It cost something and changed nothing. */
    public Result wasted() {
        return new Result(status, reason, outOfPlace, damageDealt, damageReceived, true, alive, timestamp, tookMs, note);
    }

    /** It makes no sense where the actor is now: in mid-air, dead, or with a place that is not in the world. */
    public Result misplaced() {
        return new Result(
            status, reason, true, damageDealt, damageReceived, actionWasted, alive, timestamp, tookMs, note);
    }

    /** A note for people and logs, sent as the result's {@code detail}. */
    public Result because(String note) {
        return new Result(
            status, reason, outOfPlace, damageDealt, damageReceived, actionWasted, alive, timestamp, tookMs, note);
    }

    /** The outcome of the attempt. */
    public Status status() {
        return status;
    }

    /** Why it did not succeed, or NONE. */
    public Reason reason() {
        return reason;
    }

    /** Whether the attempt makes no sense where the actor is. */
    public boolean outOfPlace() {
        return outOfPlace;
    }

    /** The damage dealt during the attempt. */
    public double damageDealt() {
        return damageDealt;
    }

    /** The damage received during the attempt. */
    public double damageReceived() {
        return damageReceived;
    }

    /** Whether it cost something and changed nothing. */
    public boolean actionWasted() {
        return actionWasted;
    }

    /** Whether the actor is alive, or null: the game is asked when the result is sent. */
    public Boolean alive() {
        return alive;
    }

    /** The engine's time at the end, or null: the game is asked when the result is sent. */
    public Long timestamp() {
        return timestamp;
    }

    /** How long the attempt took in milliseconds, or null: it is measured. */
    public Double tookMs() {
        return tookMs;
    }

    /** The detail, or null. */
    public String note() {
        return note;
    }

    @Override
    public String toString() {
        return status + "/" + reason + (note == null ? "" : " " + note);
    }

    private static boolean amount(double value) {
        return value >= 0 && value <= Double.MAX_VALUE;
    }
}
