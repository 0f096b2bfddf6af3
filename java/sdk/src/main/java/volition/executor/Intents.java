package volition.executor;

import java.io.UncheckedIOException;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The intents of one session: takes what the bridge sends, makes the game attempt it, and sends the results. It answers by
 * itself what never needs the game: repeated, expired, cancelled, stopped and excess intents. It decides nothing and
 * retries nothing.
 */
final class Intents implements IncomingIntent.Desk {
    /** The world has ended, and another begins. */
    private static final String RESET = "RESET";

    private final Executor game;
    private final About about;
    private final Options options;
    private final LongSupplier clock;
    private final Inbox inbox;
    private final Runnable written;
    private final Link link;
    private final Results results;
    private final Set<String> features;
    private final Attempts attempts;
    private final OwnIntents declared;
    private long lastId;
    private boolean resetting;

    /** {@code features} are those that both sides of the session have. */
    Intents(
        Executor game, OwnIntents declared, Options options, LongSupplier clock, Inbox inbox, Runnable written, Link link,
        Results results, Set<String> features) {
        this.game = game;
        this.about = game.about();
        this.declared = declared;
        this.options = options;
        this.clock = clock;
        this.inbox = inbox;
        this.written = written;
        this.link = link;
        this.results = results;
        this.features = features;
        attempts = new Attempts(results);
    }

    // What the bridge asks for.

    /** Ids grow, whatever they are used for. */
    void noteId(long id) {
        lastId = Math.max(lastId, id);
    }

    /** Queues an intent, or answers it at once; an id is attempted at most once, however often it is sent. */
    void take(JsonObject frame, long now) {
        long id = frame.integer("id", 0);
        if (id <= lastId) {
            if (!results.repeat(id) && !attempts.isOpen(id)) {
                link.complain("stale_id", "the id " + id + " is not above " + lastId, id);
            }
            return;
        }
        lastId = id;
        String given = frame.text("intent");
        IncomingIntent attempt = read(frame, now);
        if (attempt == null) {
            results.unread(id, given, frame.text("agent"), "NOT_CANONICAL");
            return;
        }
        Intent intent = attempt.intent();
        // STOP is always carried out, whatever is remembered.
        boolean once = features.contains(Handshake.REQUESTS) && intent != Intent.STOP;
        attempt.mark = once ? RequestMark.of(frame) : null;
        if (intent == Intent.STOP) {
            attempts.addStop(attempt);
        } else if (intent != null && !about.intents.contains(intent)) {
            results.own(attempt, Result.failure(Reason.UNKNOWN), "UNSUPPORTED");
        } else if (results.outOfSync(attempt) != null) {
            results.own(attempt, Result.failure(Reason.INVALID_STATE), results.outOfSync(attempt));
        } else if (attempts.busy() >= options.maxInflight) {
            results.own(attempt, Result.failure(Reason.RESOURCE_EXHAUSTED), "WINDOW_FULL");
        } else {
            attempts.add(attempt);
        }
    }

    /** The intent of a frame: one of the seven, or one that the game has declared; null where it is neither. */
    private IncomingIntent read(JsonObject frame, long now) {
        JsonObject parameters = (JsonObject) frame.get("parameters");
        Intent intent = Intent.named(frame.text("intent"));
        if (intent == null) {
            OwnIntent own = declared.get(frame.text("intent"));
            return own == null || !own.takes(parameters) ? null : IncomingIntent.of(frame, own, now, this);
        }
        double[] vector = intent.vectorOf(parameters);
        return vector == null ? null : IncomingIntent.of(frame, intent, vector, now, this);
    }

    /** Ends everything that is open, before the game begins again: the game says how, or it ends as PARTIAL. */
    void endAll() {
        attempts.dropWaiting(RESET);
        resetting = true;
        try {
            for (IncomingIntent open = attempts.firstStarted(); open != null; open = attempts.firstStarted()) {
                giveUp(open);
                if (attempts.isOpen(open.id())) {
                    settle(open, Result.partial(Reason.NONE), clock.getAsLong());
                }
                open.stage = IncomingIntent.Stage.GONE;
            }
        } finally {
            resetting = false;
        }
    }

    /** Acknowledges, then ensures that the result follows; cancelling what is finished has no effect. */
    void cancel(long id) {
        if (id > lastId) {
            link.complain("unknown_id", "no intent " + id + " was ever sent", id);
            return;
        }
        if (!attempts.isOpen(id)) {
            return;
        }
        link.begin("progress").field("id", id).field("stage", "cancelling");
        link.send();
        IncomingIntent underWay = attempts.cancel(id);
        if (underWay != null) {
            giveUp(underWay);
        }
    }

    /** The ids without a result, in ascending order. */
    long[] openIds() {
        return attempts.openIds();
    }

    // What time does.

    /** Drops what has waited too long, and makes the game end, each once, the attempts whose time is over. */
    void poll(long now) {
        attempts.dropExpired(now);
        if (!about.endsOverdue) {
            for (IncomingIntent late = attempts.nextOverdue(now); late != null; late = attempts.nextOverdue(now)) {
                giveUp(late);
            }
        }
        attempts.dropOverdueRepeats(now);
    }

    /** When {@link #poll} has something to do at the latest. */
    long wakeAt() {
        return attempts.nextExpiry(!about.endsOverdue);
    }

    // What the game does.

    /** The next intent to attempt, STOP before all others; null where nothing waits. */
    IncomingIntent next(long now) {
        return attempts.next(now);
    }

    /** Makes the game attempt everything queued. */
    void attemptAll(long now) {
        for (IncomingIntent attempt = next(now); attempt != null; attempt = next(now)) {
            if (attempts.repeats(attempt)) {
                continue;
            }
            try {
                Result known = attempt.mark == null ? null : admit(attempt.mark);
                if (known == null) {
                    attempt.begin(game);
                } else {
                    attempts.finished(attempt);
                    attempt.stage = IncomingIntent.Stage.GONE;
                    results.send(attempt, known, 0, false);
                }
            } catch (RuntimeException trouble) {
                options.trouble.accept(trouble);
                if (attempt.isOpen()) {
                    attempt.finish(Result.failure(Reason.UNKNOWN).because("EXCEPTION"));
                }
            }
        }
    }

    /** Null where a request may be attempted. One that cannot be remembered, on a full disk say, may not. */
    private Result admit(RequestMark mark) {
        try {
            return options.requests.admit(mark);
        } catch (UncheckedIOException full) {
            options.trouble.accept(full);
            return Result.failure(Reason.RESOURCE_EXHAUSTED).because(RequestMemory.NOT_REMEMBERED);
        }
    }

    private void giveUp(IncomingIntent attempt) {
        try {
            game.cancel(attempt);
        } catch (RuntimeException trouble) {
            options.trouble.accept(trouble);
        }
    }

    @Override
    public void finish(IncomingIntent attempt, Result result) {
        long now = clock.getAsLong();
        if (inbox.isOwner()) {
            settle(attempt, result, now);
        } else {
            inbox.put(() -> {
                try {
                    settle(attempt, result, now);
                } catch (RuntimeException trouble) {
                    options.trouble.accept(trouble);
                }
            });
        }
    }

    /** Sends the result of an attempt that ended at {@code now}, unless a STOP, a reset or the loss of the bridge was faster. */
    private void settle(IncomingIntent attempt, Result result, long now) {
        if (attempt.stage != IncomingIntent.Stage.STARTED) {
            return;
        }
        if (attempt.intent() == Intent.STOP) {
            attempts.endBefore(attempt);
        }
        boolean ended = result.status() == Status.PARTIAL || "CANCELLED".equals(result.note());
        Result told = resetting && ended ? result.because(RESET) : result;
        attempts.end(attempt, told, (now - attempt.startedAt) / 1e6, features.contains("next_state"));
        written.run();
    }

    @Override
    public boolean isOverdue(IncomingIntent attempt) {
        return clock.getAsLong() >= attempt.expires;
    }

    @Override
    public long remainingMs(IncomingIntent attempt) {
        return Math.max(0, attempt.expires - clock.getAsLong()) / 1_000_000;
    }

    @Override
    public void progress(IncomingIntent attempt, double done) {
        if (inbox.isOwner()) {
            advance(attempt, done);
        } else if (attempt.progressDue.getAndSet(done) == null) {
            inbox.put(() -> advance(attempt, attempt.progressDue.getAndSet(null)));
        }
    }

    private void advance(IncomingIntent attempt, double done) {
        if (attempt.stage == IncomingIntent.Stage.STARTED && features.contains("progress")) {
            link.begin("progress").field("id", attempt.id()).field("stage", "moving").field("done", done);
            link.send();
            written.run();
        }
    }

    /** The bridge is gone: nothing is attempted any more, and nobody waits for any result. */
    void forget() {
        attempts.forget();
    }
}
