package volition.executor;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Sockets that listen, over TCP and in the file system. */
final class Listening {
    private Listening() {}

    /** A socket that listens and never blocks. */
    static ServerSocketChannel open(SocketAddress at) throws IOException {
        if (!(at instanceof UnixDomainSocketAddress unix)) {
            ServerSocketChannel channel = ServerSocketChannel.open();
            try {
                channel.bind(at).configureBlocking(false);
            } catch (IOException | RuntimeException failed) {
                channel.close();
                throw failed;
            }
            return channel;
        }
        removeStale(unix.getPath());
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(at).configureBlocking(false);
            if (Files.getFileStore(unix.getPath()).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(unix.getPath(), PosixFilePermissions.fromString("rw-------"));
            }
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
        return channel;
    }

    /** The next connection, ready for small frames; null where none waits. */
    static SocketChannel next(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            if (!(listener.getLocalAddress() instanceof UnixDomainSocketAddress)) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        }
        return channel;
    }

    static String name(SocketAddress at) {
        if (at instanceof InetSocketAddress inet) {
            String host = inet.getAddress().getHostAddress();
            return "tcp://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + inet.getPort();
        }
        return "unix:" + at;
    }

    static void close(ServerSocketChannel listener) throws IOException {
        SocketAddress at = listener.isOpen() ? listener.getLocalAddress() : null;
        listener.close();
        if (at instanceof UnixDomainSocketAddress unix) {
            Files.deleteIfExists(unix.getPath());
        }
    }

    /** Removes a socket that nobody listens on any more; one that is alive, or anything else of that name, stays. */
    private static void removeStale(Path path) throws IOException {
        if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(path));
            throw new IOException("somebody listens on " + path + " already");
        } catch (ConnectException nobody) {
            Files.delete(path);
        }
    }
}
