package volition.executor;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The executor's side of the protocol, without a socket: bytes and the time in, bytes out, and a game in between. One
 * connection from one bridge; a new connection takes a new session, which remembers nothing of the one before. A bridge
 * that observes is shown what happens; nothing is attempted for it, and nothing stops when it leaves.
 *
 * <p>When it loses its bridge, in whatever way, it makes the game STOP, once.
 */
final class Session implements Link.Listener {
    enum Phase { WAITING, OPEN, CLOSED }

    final Link link;
    Phase phase = Phase.WAITING;
    /** Whether another bridge drives: then only an observer is welcome. */
    boolean taken;

    private final Executor game;
    private final OwnIntents declared;
    private final Options options;
    private final Runnable written;
    private final String name;
    private final About about;
    private final long helloDue;
    private final Results results;
    private final Intents intents;
    private final Requests requests;
    /** What both sides have: nothing before the greeting. */
    private final Set<String> features = new HashSet<>();

    /**
     * {@code inbox} takes what other threads report; {@code written} is called when something was written without a
     * request: the game finished an attempt.
     */
    Session(
        Executor game, OwnIntents declared, Options options, String name, LongSupplier clock, Inbox inbox,
        Runnable written) {
        this.game = game;
        this.declared = declared;
        this.options = options;
        this.written = written;
        this.name = name;
        about = game.about();
        long now = clock.getAsLong();
        link = new Link(options, now);
        helloDue = now + options.handshake;
        results = new Results(link, game, options);
        intents = new Intents(game, declared, options, clock, inbox, written, link, results, features);
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
            intents.poll(now);
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
        return Math.min(link.nextPulse(), intents.wakeAt());
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
        intents.forget();
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
        return intents.next(now);
    }

    /** Makes the game attempt everything queued, then sends the requested states, which show the effects. */
    void work(long now) {
        intents.attemptAll(now);
        requests.answer();
    }

    /** Sends the bridge a state, where it wants pushes. */
    void push() {
        if (phase == Phase.OPEN && features.contains("state_push")) {
            results.state(0, false, null);
            written.run();
        }
    }

    /** Sends the bridge an event, where it wants them; an observer never sent the intent that it concerns. */
    void event(String event, long id, String agent, Consumer<JsonWriter> data) {
        if (phase == Phase.OPEN && features.contains("events")) {
            results.event(event, observes() ? 0 : id, agent, data);
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
            intents.take(frame, now);
        } else if (type.equals("cancel") && drives()) {
            intents.cancel(id);
        } else if (type.equals("state_request")) {
            intents.noteId(id);
            requests.addState(id, frame.get("full") == Boolean.TRUE, frame.text("agent"));
        } else if (type.equals("reset") && drives() && features.contains(Handshake.RESET)) {
            intents.noteId(id);
            reset(id, frame.integer("seed", 0));
        } else if (type.equals("probe.read") && features.contains(Handshake.PROBE)) {
            intents.noteId(id);
            requests.addProbe(id);
        } else {
            outOfOrder(type, frame);
        }
    }

    /** Makes the game begin again. What is open has its result in the world that ends, and the answer shows the new one. */
    private void reset(long id, long seed) {
        intents.endAll();
        try {
            long former = game.episode();
            ((Resettable) game).reset(seed);
            if (game.episode() == former) {
                throw new IllegalStateException("a reset begins a new episode, but episode() is still " + former);
            }
        } catch (RuntimeException trouble) {
            options.trouble.accept(trouble);
        }
        results.state(id, true, null);
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
        for (long id : intents.openIds()) {
            out.value(id);
        }
        out.end();
        link.send();
    }

    private void greet(JsonObject hello) {
        List<String> shared = Handshake.shared(hello, game, about, options);
        Handshake.Rejection refusal = Handshake.refusal(hello, about, options.token, shared, taken);
        if (refusal != null) {
            turnAway(refusal);
            return;
        }
        features.addAll(shared);
        declared.settle();
        Handshake.welcome(link, game, about, declared, options, name, shared);
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
}
