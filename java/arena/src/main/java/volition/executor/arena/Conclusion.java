package volition.executor.arena;

import volition.executor.Reason;
import volition.executor.Status;

/** How an intent ended; {@code outOfPlace} and {@code wasted} are those of its result. */
final class Conclusion {
    static final Conclusion DONE = new Conclusion(Status.SUCCESS, Reason.NONE, false, false);
    static final Conclusion MISSED = new Conclusion(Status.SUCCESS, Reason.NONE, false, true);
    static final Conclusion CUT_SHORT = new Conclusion(Status.PARTIAL, Reason.NONE, false, false);
    static final Conclusion ADRIFT = new Conclusion(Status.PARTIAL, Reason.INVALID_STATE, true, false);
    static final Conclusion MALFORMED = new Conclusion(Status.FAILURE, Reason.UNKNOWN, false, false);
    static final Conclusion INVALID = new Conclusion(Status.FAILURE, Reason.INVALID_STATE, false, false);
    static final Conclusion OUT_OF_PLACE = new Conclusion(Status.FAILURE, Reason.INVALID_STATE, true, false);
    static final Conclusion COOLING = new Conclusion(Status.FAILURE, Reason.COOLDOWN, false, false);
    static final Conclusion EXHAUSTED = new Conclusion(Status.FAILURE, Reason.RESOURCE_EXHAUSTED, false, false);
    static final Conclusion OBSTRUCTED = new Conclusion(Status.FAILURE, Reason.BLOCKED, false, false);
    static final Conclusion IN_VAIN = new Conclusion(Status.FAILURE, Reason.BLOCKED, false, true);
    static final Conclusion HALFWAY = new Conclusion(Status.PARTIAL, Reason.BLOCKED, false, false);

    final Status status;
    final Reason reason;
    final boolean outOfPlace;
    final boolean wasted;

    Conclusion(Status status, Reason reason, boolean outOfPlace, boolean wasted) {
        this.status = status;
        this.reason = reason;
        this.outOfPlace = outOfPlace;
        this.wasted = wasted;
    }
}
