package volition.executor;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
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
        Path path = UnixSockets.path(at);
        if (path != null) {
            removeStale(path, at);
        }
        ServerSocketChannel channel = path == null ? ServerSocketChannel.open() : UnixSockets.openServer();
        try {
            channel.bind(at).configureBlocking(false);
            if (path != null && Files.getFileStore(path).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            }
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
        return channel;
    }

    /** The next connection, ready for small frames; null where there is none. */
    static SocketChannel next(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            if (UnixSockets.path(listener.getLocalAddress()) == null) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        }
        return channel;
    }

    static String name(SocketAddress at) {
        if (at instanceof InetSocketAddress) {
            InetSocketAddress inet = (InetSocketAddress) at;
            String host = inet.getAddress().getHostAddress();
            return "tcp://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + inet.getPort();
        }
        return "unix:" + at;
    }

    static void close(ServerSocketChannel listener) throws IOException {
        SocketAddress at = listener.isOpen() ? listener.getLocalAddress() : null;
        listener.close();
        Path path = UnixSockets.path(at);
        if (path != null) {
            Files.deleteIfExists(path);
        }
    }

    /** Removes a socket that nobody listens on any more; a live one, or any other file of that name, stays. */
    private static void removeStale(Path path, SocketAddress at) throws IOException {
        if (!Files.exists(path) || Files.isRegularFile(path) || Files.isDirectory(path)) {
            return;
        }
        try (SocketChannel probe = UnixSockets.open()) {
            probe.connect(at);
            throw new IOException("somebody already listens on " + path);
        } catch (ConnectException nobody) {
            Files.delete(path);
        }
    }
}
