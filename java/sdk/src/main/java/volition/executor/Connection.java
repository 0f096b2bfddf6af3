package volition.executor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/**
 * One connection: a session and the channels that carry its bytes. Nothing here blocks: what cannot be read or written now
 * is left for the next turn.
 */
final class Connection {
    /** How many buffers one turn reads at most, so that a flood cannot block the game's loop. */
    private static final int PIECES = 16;
    /** Where so much is waiting to be written, nothing more is read: the other side does not keep up. */
    private static final int BACKLOG = 1 << 18;
    private static final long LINGER = 1_000_000_000L;

    final Session session;
    boolean readable;
    boolean over;

    private final SelectionKey in;
    private final SelectionKey out;
    private final ByteBuffer buffer;
    private long lingers = Long.MAX_VALUE;
    private boolean behind;

    /** For a socket both keys are the same; the buffer may be shared by all connections of a server. */
    Connection(Session session, SelectionKey in, SelectionKey out, ByteBuffer buffer) {
        this.session = session;
        this.in = in;
        this.out = out;
        this.buffer = buffer;
        in.attach(this);
        out.attach(this);
    }

    /** Reads what has arrived, does what is due, writes what can be written. */
    void turn(long now) {
        if (readable) {
            readable = false;
            read(now);
        }
        if (lingers == Long.MAX_VALUE && now >= session.wakeAt()) {
            session.poll(now);
        }
        session.work(now);
        flush();
        if (session.phase == Session.Phase.CLOSED && session.link.out.length() == 0) {
            leave(now);
        }
    }

    /** When a turn is due at the latest, even if nothing arrives. */
    long wakeAt() {
        return Math.min(session.wakeAt(), lingers);
    }

    /** Writes what is waiting, as far as the channel accepts it. */
    void flush() {
        JsonWriter waiting = session.link.out;
        try {
            boolean taken = true;
            while (!over && taken && waiting.length() > 0) {
                buffer.clear();
                int count = Math.min(buffer.capacity(), waiting.length());
                buffer.put(waiting.bytes(), 0, count).flip();
                int written = ((WritableByteChannel) out.channel()).write(buffer);
                waiting.drop(written);
                taken = written == count;
            }
            behind = waiting.length() > 0;
            await(waiting.length());
        } catch (IOException broken) {
            session.end(true);
            close();
        }
    }

    /** Whether the other side does not keep up: it has not read everything that was written. */
    boolean isBehind() {
        return behind;
    }

    /** Closes both channels now. */
    void close() {
        over = true;
        session.link.out.rewind(0);
        for (SelectionKey key : new SelectionKey[] {in, out}) {
            try {
                key.channel().close();
            } catch (IOException gone) {
                key.cancel();
            }
        }
    }

    private void read(long now) {
        try {
            for (int piece = 0; piece < PIECES && !over; piece++) {
                buffer.clear();
                int count = ((ReadableByteChannel) in.channel()).read(buffer);
                if (count < 0) {
                    session.end(false);
                    flush();
                    close();
                } else if (session.phase != Session.Phase.CLOSED) {
                    session.receive(buffer.flip(), now);
                }
                if (count < buffer.capacity()) {
                    return;
                }
            }
        } catch (IOException broken) {
            session.end(true);
            close();
        }
    }

    /** Selects for writing where something is waiting to be written; keeps reading only while that is little. */
    private void await(int waiting) {
        if (over) {
            return;
        }
        int reading = waiting > BACKLOG ? 0 : SelectionKey.OP_READ;
        int writing = waiting > 0 ? SelectionKey.OP_WRITE : 0;
        if (in == out) {
            interest(in, reading | writing);
        } else {
            interest(in, reading);
            interest(out, writing);
        }
    }

    private static void interest(SelectionKey key, int operations) {
        if (key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    /**
     * Hangs up. A socket that is closed while the other side still sends loses the last bytes that were written to it, so
     * this side first only stops writing, and waits a while for the other to close.
     */
    private void leave(long now) {
        if (over) {
            return;
        }
        if (now >= lingers || !(out.channel() instanceof SocketChannel)) {
            close();
        } else if (lingers == Long.MAX_VALUE) {
            lingers = now + LINGER;
            try {
                ((SocketChannel) out.channel()).shutdownOutput();
            } catch (IOException gone) {
                close();
            }
        }
    }
}
