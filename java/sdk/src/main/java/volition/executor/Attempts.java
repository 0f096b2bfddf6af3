package volition.executor;

import java.util.ArrayList;
import java.util.List;

/**
 * The intents of one session that have no result yet: those that wait, STOP before all others, and those that the game has
 * begun. What will not be attempted is answered here.
 *
 * <p>An intent that repeats a request that is under way counts as begun, but the game never sees it: it waits for the result
 * of the first one, and has the same.
 */
final class Attempts {
    /** The time of a repeated intent is over, and the request that it repeats has no result yet. That one goes on. */
    static final String UNDER_WAY = "UNDER_WAY";

    private final Results results;
    private final List<IncomingIntent> waiting = new ArrayList<>();
    private final List<IncomingIntent> started = new ArrayList<>();

    Attempts(Results results) {
        this.results = results;
    }

    void add(IncomingIntent attempt) {
        waiting.add(attempt);
    }

    /** A STOP overtakes what is queued, and what was queued has failed. */
    void addStop(IncomingIntent stop) {
        for (int i = 0; i < waiting.size(); ) {
            i = stops(stop, waiting.get(i)) ? drop(i, Reason.UNKNOWN, "STOPPED") : i + 1;
        }
        waiting.add(0, stop);
    }

    /** The next one to attempt, which counts as begun; null where nothing is queued. */
    IncomingIntent next(long now) {
        dropExpired(now);
        if (waiting.isEmpty()) {
            return null;
        }
        IncomingIntent attempt = waiting.remove(0);
        attempt.stage = IncomingIntent.Stage.STARTED;
        attempt.startedAt = now;
        started.add(attempt);
        return attempt;
    }

    /** Whether one that was just begun repeats a request that is under way: then it waits for the result of that. */
    boolean repeats(IncomingIntent attempt) {
        for (int i = 0; attempt.mark != null && i < started.size(); i++) {
            IncomingIntent other = started.get(i);
            if (other != attempt && other.first == null && attempt.mark.repeats(other.mark)) {
                attempt.first = other;
                return true;
            }
        }
        return false;
    }

    /** Sends the result of one that the game began, also to those that repeat its request. */
    void end(IncomingIntent attempt, Result result, double measuredMs, boolean withState) {
        Result sent = results.end(attempt, result, measuredMs, withState);
        started.remove(attempt);
        for (int i = 0; i < started.size(); ) {
            IncomingIntent other = started.get(i);
            if (other.first == attempt) {
                leave(i);
                results.send(other, sent, measuredMs, withState);
            } else {
                i++;
            }
        }
    }

    /** A finished STOP ends everything that began before it and that the game has not ended itself. */
    void endBefore(IncomingIntent stop) {
        for (int i = 0; i < started.size(); ) {
            IncomingIntent other = started.get(i);
            if (other.first == null && other.id() < stop.id() && stops(stop, other)) {
                other.stage = IncomingIntent.Stage.GONE;
                end(other, Result.partial(Reason.NONE).because("STOPPED"), 0, false);
            } else {
                i++;
            }
        }
    }

    /** The world is about to end: nothing that waits is attempted in it, nor in the next one, except a STOP. */
    void dropWaiting(String detail) {
        for (int i = 0; i < waiting.size(); ) {
            i = waiting.get(i).intent() == Intent.STOP ? i + 1 : drop(i, Reason.UNKNOWN, detail);
        }
    }

    /** The first that the game has begun and not ended; null where there is none. It repeats no other: those began later. */
    IncomingIntent firstStarted() {
        return started.isEmpty() ? null : started.get(0);
    }

    void finished(IncomingIntent attempt) {
        started.remove(attempt);
    }

    /** Answers a queued one; one that has begun is returned, for the game to end, or the one that it repeats. */
    IncomingIntent cancel(long id) {
        IncomingIntent queued = find(waiting, id);
        if (queued != null) {
            drop(waiting.indexOf(queued), Reason.UNKNOWN, "CANCELLED");
        }
        IncomingIntent begun = find(started, id);
        return begun == null || begun.first == null ? begun : begun.first;
    }

    void dropExpired(long now) {
        for (int i = 0; i < waiting.size(); ) {
            i = now >= waiting.get(i).expires ? drop(i, Reason.INVALID_STATE, "EXPIRED") : i + 1;
        }
    }

    /** Answers those whose time is over while the request that they repeat goes on. */
    void dropOverdueRepeats(long now) {
        for (int i = 0; i < started.size(); ) {
            IncomingIntent attempt = started.get(i);
            if (attempt.first != null && now >= attempt.expires) {
                leave(i);
                results.own(attempt, Result.failure(Reason.UNKNOWN), UNDER_WAY);
            } else {
                i++;
            }
        }
    }

    /** One that the game has begun and whose time is over, each once; null where there is none. */
    IncomingIntent nextOverdue(long now) {
        for (int i = 0; i < started.size(); i++) {
            IncomingIntent attempt = started.get(i);
            if (attempt.first == null && now >= attempt.expires && !attempt.givenUp) {
                attempt.givenUp = true;
                return attempt;
            }
        }
        return null;
    }

    /** When the time of a queued or repeated one is over, optionally also of one that the game was not told to give up yet. */
    long nextExpiry(boolean ofStarted) {
        long next = Long.MAX_VALUE;
        for (int i = 0; i < waiting.size(); i++) {
            next = Math.min(next, waiting.get(i).expires);
        }
        for (int i = 0; i < started.size(); i++) {
            IncomingIntent attempt = started.get(i);
            boolean watched = attempt.first != null || (ofStarted && !attempt.givenUp);
            next = watched ? Math.min(next, attempt.expires) : next;
        }
        return next;
    }

    boolean isOpen(long id) {
        return find(waiting, id) != null || find(started, id) != null;
    }

    /** How many are open, without STOP. */
    int busy() {
        return busy(waiting) + busy(started);
    }

    long[] openIds() {
        List<IncomingIntent> open = new ArrayList<>(started);
        open.addAll(waiting);
        return open.stream().mapToLong(IncomingIntent::id).sorted().toArray();
    }

    /** The bridge is gone: nobody waits for any result. */
    void forget() {
        waiting.forEach(attempt -> attempt.stage = IncomingIntent.Stage.GONE);
        started.forEach(attempt -> attempt.stage = IncomingIntent.Stage.GONE);
        waiting.clear();
        started.clear();
    }

    /** Answers what was queued and will not be attempted; the index of the next one. */
    private int drop(int at, Reason reason, String detail) {
        IncomingIntent attempt = waiting.remove(at);
        attempt.stage = IncomingIntent.Stage.GONE;
        results.own(attempt, Result.failure(reason), detail);
        return at;
    }

    /** Takes out one that has begun and gets its result now. */
    private void leave(int at) {
        started.remove(at).stage = IncomingIntent.Stage.GONE;
    }

    private static int busy(List<IncomingIntent> attempts) {
        int count = 0;
        for (int i = 0; i < attempts.size(); i++) {
            count += attempts.get(i).intent() == Intent.STOP ? 0 : 1;
        }
        return count;
    }

    /** Whether a STOP ends another attempt: it names the same agent, or none, which means all of them. */
    private static boolean stops(IncomingIntent stop, IncomingIntent other) {
        return stop.agent() == null || stop.agent().equals(other.agent());
    }

    private static IncomingIntent find(List<IncomingIntent> attempts, long id) {
        for (int i = 0; i < attempts.size(); i++) {
            if (attempts.get(i).id() == id) {
                return attempts.get(i);
            }
        }
        return null;
    }
}
