package volition.executor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Lets a bridge drive a game. The game calls {@link #tick} in its own loop; that never blocks:
 *
 * <pre>{@code
 * var server = ExecutorServer.listen(7777, new MyHero());
 * while (gameRuns) { server.tick(); game.step(); }
 * }</pre>
 *
 * A program without its own loop calls {@link #await} instead. One thread owns the server: the one that calls
 * {@link #tick} first; other threads may finish attempts and {@link #post} tasks, which wait for its next turn. One bridge drives at
 * a time, and a second one is refused as {@code not_ready}; any number may observe.
 */
public final class ExecutorServer implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 64;

    private final Executor game;
    private final Options options;
    private final OwnIntents declared = new OwnIntents();
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private final List<Connection> connections = new ArrayList<>();
    private final Inbox inbox = new Inbox(selector::wakeup);
    private final Consumer<SelectionKey> marking = this::mark;
    private final long start = System.nanoTime();
    private ServerSocketChannel listener;
    private Stdio stdio;
    private String address = "stdio:";
    private boolean acceptable;
    private boolean working;
    private long sessions;

    private ExecutorServer(Executor game, Options options) throws IOException {
        this.game = game;
        this.options = options;
    }

    /** Listens on a port of this machine; 0 picks a free one. */
    public static ExecutorServer listen(int port, Executor game) throws IOException {
        return listen(port, game, new Options());
    }

    /** Listens on a port of this machine; 0 picks a free one. */
    public static ExecutorServer listen(int port, Executor game, Options options) throws IOException {
        return listen(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), game, options);
    }

    /**
     * Listens on an address: an {@link InetSocketAddress}, which must be this machine's own unless the options allow more,
     * or, on Java 16 or later, a {@code UnixDomainSocketAddress}, whose file only its owner can access and which is removed at
     * the end.
     */
    public static ExecutorServer listen(SocketAddress at, Executor game, Options options) throws IOException {
        boolean local = !(at instanceof InetSocketAddress) || ((InetSocketAddress) at).getAddress().isLoopbackAddress();
        if (!local && !options.remote) {
            throw new IllegalArgumentException(at + " can be reached from other machines; allow it with allowRemote()");
        }
        ExecutorServer server = new ExecutorServer(game, options);
        try {
            server.listener = Listening.open(at);
            server.listener.register(server.selector, SelectionKey.OP_ACCEPT);
            server.address = Listening.name(server.listener.getLocalAddress());
        } catch (IOException | RuntimeException failed) {
            server.selector.close();
            throw failed;
        }
        return server;
    }

    /** Listens on a Unix socket; UnsupportedOperationException before Java 16. */
    public static ExecutorServer listen(Path socket, Executor game, Options options) throws IOException {
        return listen(UnixSockets.address(socket), game, options);
    }

    /** Talks over standard input and output; {@code System.out} goes to standard error from now on. */
    public static ExecutorServer stdio(Executor game, Options options) throws IOException {
        ExecutorServer server = new ExecutorServer(game, options);
        server.stdio = Stdio.open();
        server.connect(
            server.stdio.in.register(server.selector, SelectionKey.OP_READ),
            server.stdio.out.register(server.selector, 0));
        return server;
    }

    /**
     * Declares a further intent, before the first bridge is welcomed: {@code act} gets each one to attempt, with
     * parameters that fit the declaration, and ends it, at once or later. {@link Executor#cancel} and {@link Executor#stop}
     * concern it like any other.
     */
    public ExecutorServer declare(Declaration declaration, Consumer<IncomingIntent> act) {
        declared.add(declaration, act);
        try {
            Handshake.tryWelcome(game, declared, options);
        } catch (IllegalArgumentException unsayable) {
            declared.remove(declaration.name);
            throw unsayable;
        }
        return this;
    }

    /** Where it listens, as a bridge needs it: {@code tcp://HOST:PORT}, {@code unix:PATH} or {@code stdio:}. */
    public String address() {
        return address;
    }

    /** Whether a bridge drives the game; observers do not count. */
    public boolean isConnected() {
        return driving() != null;
    }

    /** Whether nothing can arrive any more: standard input is at its end, or the server is closed. */
    public boolean isOver() {
        return !selector.isOpen() || (listener == null && connections.isEmpty());
    }

    /** Reads what has arrived, makes the game attempt it, and writes what there is to write; it never blocks. */
    public void tick() {
        turn(0);
    }

    /** Like {@link #tick}, but waits for something to do, {@code nanos} at most (to the next millisecond). */
    public void await(long nanos) {
        long wake = Long.MAX_VALUE;
        for (Connection connection : connections) {
            wake = Math.min(wake, connection.wakeAt());
        }
        long wait = Math.min(nanos, wake - now());
        turn(wait <= 0 ? 0 : (wait + 999_999) / 1_000_000);
    }

    /**
     * Runs a task on the thread that owns the server, at its next {@link #tick}, {@link #await}, {@link #push} or
     * {@link #tell}, in the order of the calls; any thread may call it, and a server that waits is woken. The task may call
     * the server: {@code server.post(() -> server.tell("door_opened"))} is how an event comes from another thread.
     * {@link Options#onTrouble} gets what it throws. Once the server is closed, nothing is run any more.
     */
    public void post(Runnable task) {
        Objects.requireNonNull(task, "the task");
        inbox.put(() -> {
            try {
                task.run();
            } catch (RuntimeException trouble) {
                options.trouble.accept(trouble);
            }
        });
    }

    /** Ends an {@link #await} of the owner; any thread may call it. */
    public void wakeup() {
        selector.wakeup();
    }

    /** Sends the current state to everybody; those that do not keep up get the next one. */
    public void push() {
        inbox.own();
        inbox.drain();
        for (int i = 0; i < connections.size(); i++) {
            Connection connection = connections.get(i);
            if (!connection.isBehind()) {
                connection.session.push();
            }
        }
    }

    /** Sends an event to everybody. */
    public void tell(String event) {
        tell(event, 0, null);
    }

    /**
     * Sends an event that concerns the intent {@code id} (0 for none); {@code data} writes one JSON value, for each
     * recipient. An observer that does not keep up gets nothing.
     */
    public void tell(String event, long id, Consumer<JsonWriter> data) {
        tell(event, id, null, data);
    }

    /** The same, about one of several actors; {@code agent} is null for the world as a whole. */
    public void tell(String event, long id, String agent, Consumer<JsonWriter> data) {
        inbox.own();
        inbox.drain();
        for (int i = 0; i < connections.size(); i++) {
            Connection connection = connections.get(i);
            if (connection.session.drives() || !connection.isBehind()) {
                connection.session.event(event, id, agent, data);
            }
        }
    }

    /** Says goodbye and stops listening; the game is stopped if a bridge drove it. */
    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.session.lose("the game is over");
            connection.flush();
            connection.close();
        }
        connections.clear();
        if (listener != null) {
            Listening.close(listener);
        }
        if (stdio != null) {
            stdio.close();
        }
        selector.close();
    }

    private void turn(long waitMs) {
        inbox.own();
        if (working) {
            throw new IllegalStateException("tick() was called from within tick()");
        }
        working = true;
        try {
            if (waitMs > 0) {
                selector.select(marking, waitMs);
            } else {
                selector.selectNow(marking);
            }
            inbox.drain();
            if (acceptable) {
                acceptable = false;
                accept();
            }
            long now = now();
            boolean some = false;
            for (int i = 0; i < connections.size(); i++) {
                Connection connection = connections.get(i);
                connection.session.taken = driving() != null;
                connection.turn(now);
                some |= connection.over;
            }
            if (some) {
                connections.removeIf(connection -> connection.over);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } finally {
            working = false;
        }
    }

    private void mark(SelectionKey key) {
        if (key.attachment() instanceof Connection) {
            ((Connection) key.attachment()).readable |= key.isReadable();
        } else {
            acceptable = true;
        }
    }

    private void accept() throws IOException {
        for (SocketChannel channel = Listening.next(listener); channel != null; channel = Listening.next(listener)) {
            if (connections.size() >= MOST_CONNECTIONS) {
                dropIdlest();
            }
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            connect(key, key);
        }
    }

    /** Closes the oldest connection that does not drive, so that silent ones lock nobody out. */
    private void dropIdlest() {
        for (int i = 0; i < connections.size(); i++) {
            Connection connection = connections.get(i);
            if (!connection.session.drives()) {
                connection.session.lose("too many connections");
                connection.flush();
                connection.close();
                connections.remove(i);
                return;
            }
        }
    }

    private void connect(SelectionKey in, SelectionKey out) {
        Connection[] self = new Connection[1];
        // What the game finishes outside of tick() is sent at once; within it, everything is sent together at the end.
        Runnable written = () -> {
            if (!working) {
                self[0].flush();
            }
        };
        Session session = new Session(game, declared, options, "s-" + ++sessions, this::now, inbox, written);
        self[0] = new Connection(session, in, out, buffer);
        connections.add(self[0]);
    }

    private Connection driving() {
        for (int i = 0; i < connections.size(); i++) {
            if (connections.get(i).session.drives()) {
                return connections.get(i);
            }
        }
        return null;
    }

    private long now() {
        return System.nanoTime() - start;
    }
}
