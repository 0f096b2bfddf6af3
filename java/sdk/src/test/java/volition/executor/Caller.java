package volition.executor;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** The other end of a real connection, in the same thread: while it waits, the server gets its turns. */
final class Caller implements AutoCloseable {
    private static final long PATIENCE = 5_000_000_000L;

    private final ExecutorServer server;
    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    private final Deque<String> lines = new ArrayDeque<>();
    private final StringBuilder rest = new StringBuilder();
    private boolean ended;

    Caller(ExecutorServer server, SocketAddress at) throws IOException {
        this.server = server;
        channel = UnixSockets.path(at) != null ? UnixSockets.open() : SocketChannel.open();
        channel.connect(at);
        channel.configureBlocking(false);
    }

    Caller say(String... words) throws IOException {
        for (String word : words) {
            ByteBuffer bytes = ByteBuffer.wrap((word + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
                server.tick();
            }
        }
        return this;
    }

    /** The gist of the next line except pings; "end" at the end of the connection. */
    String hear() throws IOException {
        String word = hearNext();
        return word.equals("ping") ? hear() : word;
    }

    /** The next line as it was sent, whatever it is but a ping. */
    String hearLine() throws IOException {
        String line = nextLine();
        return Talk.gist(line).equals("ping") ? hearLine() : line;
    }

    private String hearNext() throws IOException {
        String line = nextLine();
        return line == null ? "end" : Talk.gist(line);
    }

    private String nextLine() throws IOException {
        long until = System.nanoTime() + PATIENCE;
        while (lines.isEmpty()) {
            if (ended) {
                return null;
            }
            if (System.nanoTime() > until) {
                throw new AssertionError("nothing was heard in time");
            }
            server.await(1_000_000);
            read();
        }
        return lines.poll();
    }

    /** Whether nothing comes for a while. */
    boolean hearsNothing() throws IOException {
        for (int i = 0; i < 20; i++) {
            server.await(1_000_000);
            read();
        }
        return lines.isEmpty() && !ended;
    }

    SocketChannel channel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void read() throws IOException {
        int count = channel.read(buffer.clear());
        ended = count < 0;
        if (count > 0) {
            rest.append(new String(buffer.array(), 0, count, StandardCharsets.UTF_8));
            for (int end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
                lines.add(rest.substring(0, end));
                rest.delete(0, end + 1);
            }
        }
    }
}
