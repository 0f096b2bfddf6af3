package volition.executor;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The executor's side of the protocol, without a socket: bytes and the time in, bytes out, and a game in between. One
 * connection from one bridge; a new connection takes a new session, which remembers nothing of the one before. A bridge
 * that observes is shown what happens; nothing is attempted for it, and nothing stops when it leaves.
 *
 * <p>It answers by itself what never needs the game: repeated, expired, cancelled, stopped and excess intents. It decides
 * nothing and retries nothing. When it loses its bridge, in whatever way, it makes the game STOP, once.
 */
final class Session implements IncomingIntent.Desk, Link.Listener {
    enum Phase { WAITING, OPEN, CLOSED }

    final Link link;
    Phase phase = Phase.WAITING;
    /** Whether another bridge drives: then only an observer is welcome. */
    boolean taken;

    private final Executor game;
    private final Options options;
    private final LongSupplier clock;
    private final Inbox inbox;
    private final Runnable written;
    private final String name;
    private final About about;
    private final long helloDue;
    private final Results results;
    private final Attempts attempts;
    private final Requests requests;
    private List<String> features = List.of();
    private long lastId;

    /**
     * {@code inbox} takes what other threads report; {@code written} is called when something was written without a
     * request: the game finished an attempt.
     */
    Session(Executor game, Options options, String name, LongSupplier clock, Inbox inbox, Runnable written) {
        this.game = game;
        this.options = options;
        this.clock = clock;
        this.inbox = inbox;
        this.written = written;
        this.name = name;
        about = game.about();
        long now = clock.getAsLong();
        link = new Link(options, now);
        helloDue = now + options.handshake;
        results = new Results(link, game, options);
        attempts = new Attempts(results);
        requests = new Requests(results);
    }

    /** Whether the bridge drives the game. */
    boolean drives() {
        return phase == Phase.OPEN && !observes();
    }

    /** Whether the bridge only looks. */
    boolean observes() {
        return features.contains(Handshake.OBSERVE);
    }

    // What the connection brings.

    /** Takes what was read; any cut of the stream into pieces gives the same answers. */
    void receive(ByteBuffer data, long now) {
        link.receive(data, now, this);
        if (link.overrun) {
            lose("overrun");
        }
    }

    /** Does what is due: expired intents, overdue attempts, pings, giving the bridge up. */
    void poll(long now) {
        if (phase == Phase.WAITING && now >= helloDue) {
            lose("no greeting in time");
        } else if (phase == Phase.OPEN) {
            attempts.dropExpired(now);
            if (!about.endsOverdue) {
                giveUpOverdue(now);
            }
            if (!link.pulse(now)) {
                lose("dead");
            }
        }
    }

    /** When {@link #poll} has something to do at the latest. */
    long wakeAt() {
        if (phase != Phase.OPEN) {
            return phase == Phase.WAITING ? helloDue : Long.MAX_VALUE;
        }
        return Math.min(link.nextPulse(), attempts.nextExpiry(!about.endsOverdue));
    }

    /** The connection ended: the other side closed it, or it broke. */
    void end(boolean reset) {
        lose(reset ? "reset" : link.torn() ? "torn" : "eof");
    }

    /** Ends the session from this side, or because the connection is unusable. */
    void lose(String reason) {
        if (phase == Phase.CLOSED) {
            return;
        }
        boolean drove = drives();
        phase = Phase.CLOSED;
        attempts.forget();
        requests.forget();
        link.close(reason);
        if (drove) {
            try {
                game.stop(IncomingIntent.deadMan());
                game.disconnected(reason);
            } catch (RuntimeException trouble) {
                options.trouble.accept(trouble);
            }
        }
    }

    // What the game does.

    /** The next intent to attempt, STOP before all others; null where nothing waits. */
    IncomingIntent next(long now) {
        return attempts.next(now);
    }

    /** Makes the game attempt everything queued, then sends the requested states, which show the effects. */
    void work(long now) {
        attemptAll(now);
        requests.answer();
    }

    private void attemptAll(long now) {
        for (IncomingIntent attempt = next(now); attempt != null; attempt = next(now)) {
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

    /** Sends the result of an attempt that ended at {@code now}, unless a STOP or the loss of the bridge was faster. */
    private void settle(IncomingIntent attempt, Result result, long now) {
        if (attempt.stage != IncomingIntent.Stage.STARTED) {
            return;
        }
        if (attempt.intent() == Intent.STOP) {
            attempts.endBefore(attempt);
        }
        results.end(attempt, result, (now - attempt.startedAt) / 1e6, features.contains("next_state"));
        attempts.finished(attempt);
        written.run();
    }

    @Override
    public boolean isOverdue(IncomingIntent attempt) {
        return clock.getAsLong() >= attempt.expires;
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
        if (attempt.stage == IncomingIntent.Stage.STARTED && phase == Phase.OPEN && features.contains("progress")) {
            link.begin("progress").field("id", attempt.id()).field("stage", "moving").field("done", done);
            link.send();
            written.run();
        }
    }

    /** Sends the bridge a state, where it wants pushes. */
    void push() {
        if (phase == Phase.OPEN && features.contains("state_push")) {
            results.state(0, false);
            written.run();
        }
    }

    /** Sends the bridge an event, where it wants them. */
    void event(String event, long id, Consumer<JsonWriter> data) {
        if (phase == Phase.OPEN && features.contains("events")) {
            results.event(event, id, data);
            written.run();
        }
    }

    // Frames.

    @Override
    public void frame(String type, JsonObject frame, long now) {
        switch (type) {
            case "ping":
                pong(frame.integer("n", 0));
                break;
            case "pong":
            case "error":
                break;
            case "goodbye":
                lose("goodbye");
                break;
            case "hello":
                if (phase == Phase.WAITING) {
                    greet(frame);
                } else {
                    outOfOrder(type, frame);
                }
                break;
            default:
                if (phase == Phase.OPEN) {
                    request(type, frame, now);
                } else {
                    outOfOrder(type, frame);
                }
        }
    }

    /** What only a welcomed bridge may request; some of it only a driver, or one that may probe. */
    private void request(String type, JsonObject frame, long now) {
        long id = frame.integer("id", 0);
        if (type.equals("intent") && drives()) {
            intent(frame, now);
        } else if (type.equals("cancel") && drives()) {
            cancel(id);
        } else if (type.equals("state_request")) {
            lastId = Math.max(lastId, id);
            requests.addState(id, frame.get("full") == Boolean.TRUE);
        } else if (type.equals("probe.read") && features.contains(Handshake.PROBE)) {
            lastId = Math.max(lastId, id);
            requests.addProbe(id);
        } else {
            outOfOrder(type, frame);
        }
    }

    @Override
    public void unreadable(Fault fault) {
        if (phase == Phase.WAITING && fault.code == Fault.Code.BAD_VERSION) {
            turnAway(new Handshake.Rejection("version", fault.getMessage()));
            return;
        }
        link.complain(fault.code.wire, fault.getMessage(), 0);
        if (link.faults >= Link.MAX_FAULTS) {
            lose("faults");
        }
    }

    private void outOfOrder(String type, JsonObject frame) {
        String who = observes() ? " from an observer" : " from a bridge";
        String when = phase == Phase.WAITING ? " before the greeting" : who;
        link.complain("out_of_order", type + when, frame.integer("id", 0));
    }

    private void pong(long n) {
        JsonWriter out = link.begin("pong").field("n", n).field("tick", game.tick()).array("open");
        for (long id : attempts.openIds()) {
            out.value(id);
        }
        out.end();
        link.send();
    }

    private void greet(JsonObject hello) {
        List<String> shared = Handshake.shared(hello, about, options);
        Handshake.Rejection refusal = Handshake.refusal(hello, about, options.token, shared, taken);
        if (refusal != null) {
            turnAway(refusal);
            return;
        }
        features = shared;
        Handshake.welcome(link, about, options, name, features);
        phase = Phase.OPEN;
        if (observes()) {
            return;
        }
        if (!fence(hello)) {
            return;
        }
        try {
            game.connected(((JsonObject) hello.get("client")).text("name"));
        } catch (RuntimeException trouble) {
            options.trouble.accept(trouble);
        }
    }

    /** Sees the numbers under which the bridge acts; false, and the session over, where they cannot be remembered. */
    private boolean fence(JsonObject hello) {
        if (!features.contains(Handshake.REQUESTS)) {
            return true;
        }
        try {
            options.requests.fenceAll((JsonObject) hello.get("fences"));
            return true;
        } catch (UncheckedIOException full) {
            options.trouble.accept(full);
            lose("requests cannot be remembered");
            return false;
        }
    }

    private void turnAway(Handshake.Rejection rejection) {
        Handshake.reject(link, rejection);
        phase = Phase.CLOSED;
        link.closed = true;
    }

    // Intents.

    /** Queues an intent, or answers it at once; an id is attempted at most once, however often it is sent. */
    private void intent(JsonObject frame, long now) {
        long id = frame.integer("id", 0);
        if (id <= lastId) {
            if (!results.repeat(id) && !attempts.isOpen(id)) {
                link.complain("stale_id", "the id " + id + " is not above " + lastId, id);
            }
            return;
        }
        lastId = id;
        String given = frame.text("intent");
        Intent intent = Intent.named(given);
        double[] vector = intent == null ? null : intent.vectorOf((JsonObject) frame.get("parameters"));
        if (vector == null) {
            results.own(id, given, Result.failure(Reason.UNKNOWN), "NOT_CANONICAL");
            return;
        }
        IncomingIntent attempt = IncomingIntent.of(frame, intent, vector, now, this);
        attempt.mark = features.contains(Handshake.REQUESTS) ? RequestMark.of(frame) : null;
        long basedOn = attempt.basedOn();
        if (intent == Intent.STOP) {
            attempts.addStop(attempt);
        } else if (!about.intents.contains(intent)) {
            results.own(id, given, Result.failure(Reason.UNKNOWN), "UNSUPPORTED");
        } else if (results.outOfSync(basedOn) != null) {
            results.own(id, given, Result.failure(Reason.INVALID_STATE), results.outOfSync(basedOn));
        } else if (attempts.busy() >= options.maxInflight) {
            results.own(id, given, Result.failure(Reason.RESOURCE_EXHAUSTED), "WINDOW_FULL");
        } else {
            attempts.add(attempt);
        }
    }

    /** Acknowledges, then ensures that the result follows; cancelling what is finished has no effect. */
    private void cancel(long id) {
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

    /** Makes the game end, each once, the attempts whose time is over. */
    private void giveUpOverdue(long now) {
        for (IncomingIntent late = attempts.nextOverdue(now); late != null; late = attempts.nextOverdue(now)) {
            giveUp(late);
        }
    }

    private void giveUp(IncomingIntent attempt) {
        try {
            game.cancel(attempt);
        } catch (RuntimeException trouble) {
            options.trouble.accept(trouble);
        }
    }
}
