package volition.executor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Sockets in the file system. Java has them since 16; this module runs on 11 too, so it finds them by reflection. */
final class UnixSockets {
    private static final String ADDRESS = "java.net.UnixDomainSocketAddress";

    private UnixSockets() {}

    /** The file of an address in the file system; null for any other address. */
    static Path path(SocketAddress at) {
        return at != null && at.getClass().getName().equals(ADDRESS) ? Path.of(at.toString()) : null;
    }

    /** The address of a file; UnsupportedOperationException where this Java has no such sockets. */
    static SocketAddress address(Path path) {
        try {
            return (SocketAddress) call(Class.forName(ADDRESS).getMethod("of", Path.class), path);
        } catch (ReflectiveOperationException | IOException absent) {
            throw unsupported();
        }
    }

    static ServerSocketChannel openServer() throws IOException {
        return (ServerSocketChannel) opened(ServerSocketChannel.class);
    }

    static SocketChannel open() throws IOException {
        return (SocketChannel) opened(SocketChannel.class);
    }

    private static Object opened(Class<?> kind) throws IOException {
        try {
            return call(kind.getMethod("open", ProtocolFamily.class), StandardProtocolFamily.valueOf("UNIX"));
        } catch (ReflectiveOperationException | IllegalArgumentException absent) {
            throw unsupported();
        }
    }

    private static Object call(Method method, Object argument) throws IOException, ReflectiveOperationException {
        try {
            return method.invoke(null, argument);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof IOException) {
                throw (IOException) failed.getCause();
            }
            if (failed.getCause() instanceof RuntimeException) {
                throw (RuntimeException) failed.getCause();
            }
            throw failed;
        }
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException(
            "Java " + System.getProperty("java.version") + " has no Unix sockets; use a port, or Java 16 or later");
    }
}
