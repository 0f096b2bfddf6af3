package volition.executor;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Standard input and output as channels that never block: two threads carry the bytes between them and two pipes, so that
 * a bridge that does not read cannot block the game.
 */
final class Stdio {
    final Pipe.SourceChannel in;
    final Pipe.SinkChannel out;
    private final Thread writer;

    private Stdio(Pipe.SourceChannel in, Pipe.SinkChannel out, Thread writer) {
        this.in = in;
        this.out = out;
        this.writer = writer;
    }

    @SuppressWarnings("resource") // the streams of the process are open as long as it lives
    static Stdio open() throws IOException {
        System.setOut(System.err);
        Pipe input = Pipe.open();
        Pipe output = Pipe.open();
        carry("stdin", new FileInputStream(FileDescriptor.in).getChannel(), input.sink());
        Thread writer = carry("stdout", output.source(), new FileOutputStream(FileDescriptor.out).getChannel());
        input.source().configureBlocking(false);
        output.sink().configureBlocking(false);
        return new Stdio(input.source(), output.sink(), writer);
    }

    /** Waits a while for the last bytes to be read. */
    void close() throws IOException {
        out.close();
        in.close();
        try {
            writer.join(1000);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread carry(String name, ReadableByteChannel from, WritableByteChannel to) {
        Thread thread = new Thread(() -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
            try (from; to) {
                while (from.read(buffer.clear()) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        to.write(buffer);
                    }
                }
            } catch (IOException closed) {
                // One end is gone: closing the other one reports it.
            }
        }, "volition-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
