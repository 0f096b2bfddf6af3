import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The floor to measure against: gives back what it reads, over a blocking TCP socket of this machine, and does nothing
 * else. The first line of its output is the address; it serves one connection after the other and ends with its input.
 * Run it as {@code java Echo.java}.
 */
public final class Echo {
    private Echo() {}

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
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
            System.out.println("tcp://127.0.0.1:" + ((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                try (SocketChannel channel = listener.accept()) {
                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    while (channel.read(buffer.clear()) >= 0) {
                        buffer.flip();
                        while (buffer.hasRemaining()) {
                            channel.write(buffer);
                        }
                    }
                } catch (IOException broken) {
                    System.err.println("a connection broke: " + broken.getMessage());
                }
            }
        }
    }
}
