package volition.executor.arena;

import volition.executor.Reason;
import volition.executor.Status;

/** How an attempt ended; {@code outOfPlace} and {@code wasted} are those of its result. */
final class Ending {
    static final Ending DONE = new Ending(Status.SUCCESS, Reason.NONE, false, false);
    static final Ending MISSED = new Ending(Status.SUCCESS, Reason.NONE, false, true);
    static final Ending CUT_SHORT = new Ending(Status.PARTIAL, Reason.NONE, false, false);
    static final Ending ADRIFT = new Ending(Status.PARTIAL, Reason.INVALID_STATE, true, false);
    static final Ending MALFORMED = new Ending(Status.FAILURE, Reason.UNKNOWN, false, false);
    static final Ending INVALID = new Ending(Status.FAILURE, Reason.INVALID_STATE, false, false);
    static final Ending OUT_OF_PLACE = new Ending(Status.FAILURE, Reason.INVALID_STATE, true, false);
    static final Ending COOLING = new Ending(Status.FAILURE, Reason.COOLDOWN, false, false);
    static final Ending EXHAUSTED = new Ending(Status.FAILURE, Reason.RESOURCE_EXHAUSTED, false, false);
    static final Ending OBSTRUCTED = new Ending(Status.FAILURE, Reason.BLOCKED, false, false);
    static final Ending IN_VAIN = new Ending(Status.FAILURE, Reason.BLOCKED, false, true);
    static final Ending HALFWAY = new Ending(Status.PARTIAL, Reason.BLOCKED, false, false);

    final Status status;
    final Reason reason;
    final boolean outOfPlace;
    final boolean wasted;

    Ending(Status status, Reason reason, boolean outOfPlace, boolean wasted) {
        this.status = status;
        this.reason = reason;
        this.outOfPlace = outOfPlace;
        this.wasted = wasted;
    }
}
