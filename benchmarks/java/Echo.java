import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * The floor to measure against, over a blocking TCP socket of this machine: gives back what it reads and does nothing
 * else. With an argument, it answers each line with that text and a line end instead. The first line of its output is
 * the address; it serves one connection after the other and ends with its input. Run it as {@code java Echo.java}.
 */
public final class Echo {
    private Echo() {}

    private static ByteBuffer answers(ByteBuffer lines, byte[] answer) {
        int count = 0;
        while (lines.hasRemaining()) {
            count += lines.get() == '\n' ? 1 : 0;
        }
        ByteBuffer out = ByteBuffer.allocate(count * answer.length);
        for (int each = 0; each < count; each++) {
            out.put(answer);
        }
        return out.flip();
    }

    public static void main(String[] arguments) throws IOException {
        Thread leash = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (IOException gone) {
                // As good as the end.
            }
            System.exit(0);
        });
        leash.setDaemon(true);
        leash.start();
        byte[] answer = arguments.length == 0 ? null : (arguments[0] + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
            System.out.println("tcp://127.0.0.1:" + ((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    while (channel.read(buffer.clear()) >= 0) {
                        buffer.flip();
                        ByteBuffer out = answer == null ? buffer : answers(buffer, answer);
                        while (out.hasRemaining()) {
                            channel.write(out);
                        }
                    }
                } catch (IOException broken) {
                    System.err.println("a connection broke: " + broken.getMessage());
                }
            }
        }
    }
}
