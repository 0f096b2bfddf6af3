package volition.executor;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One end of a connection without a socket: bytes in, frames out, frames in, bytes out, and a heartbeat. Times are
 * nanoseconds from any start, and never go backwards.
 */
final class Link {
    /** After this many unusable lines on one connection, the other side does not speak this protocol. */
    static final int MAX_FAULTS = 100;
    private static final int LONGEST_MESSAGE = 400;

    /** Gets what arrives. */
    interface Listener {
        void frame(String type, JsonObject frame, long now);

        void unreadable(Fault fault);
    }

    final JsonWriter out = new JsonWriter();
    final int maxFrame;
    int faults;
    long heardAt;
    boolean closed;
    boolean overrun;

    private final Options timing;
    private final JsonReader reader = new JsonReader();
    private byte[] in = new byte[8192];
    private int length;
    private int searched;
    private int frameStart = -1;
    private long pings;
    private long pingedAt;

    Link(Options options, long now) {
        timing = options;
        maxFrame = options.maxFrame;
        heardAt = pingedAt = now;
    }

    /** Takes what was read, and passes every complete line to the listener, until the link is closed. */
    void receive(ByteBuffer data, long now, Listener listener) {
        int count = data.remaining();
        if (in.length - length < count) {
            in = Arrays.copyOf(in, Math.max(in.length * 2, length + count));
        }
        data.get(in, length, count);
        length += count;
        int start = 0;
        while (!closed && !overrun) {
            int end = searched;
            while (end < length && in[end] != '\n') {
                end++;
            }
            searched = end;
            if (end - start > maxFrame) {
                overrun = true;
            } else if (end == length) {
                break;
            } else {
                searched = end + 1;
                line(start, end, now, listener);
                start = end + 1;
            }
        }
        keepFrom(closed || overrun ? length : start);
    }

    /** Whether an unfinished line is held: an end of the stream now would be in the middle of a frame. */
    boolean torn() {
        return length > 0;
    }

    /** Begins a frame; its fields follow, then {@link #send}. */
    JsonWriter begin(String type) {
        if (frameStart >= 0) {
            throw new IllegalStateException("a frame is being written: describe() only describes");
        }
        frameStart = out.length();
        return out.object().field("v", 1).field("type", type);
    }

    /** Ends a frame; false, and nothing sent, where it is too long or the link is closed. */
    boolean send() {
        out.end().newline();
        if (closed || out.length() - frameStart - 1 > maxFrame) {
            abandon();
            return false;
        }
        frameStart = -1;
        return true;
    }

    /** Discards a frame that was begun. */
    void abandon() {
        out.rewind(frameStart);
        frameStart = -1;
    }

    /** Sends a line again. */
    void repeat(byte[] line, int count) {
        if (!closed) {
            out.raw(line, count);
        }
    }

    /** Answers a frame that cannot be used. */
    void complain(String code, String message, long id) {
        int end = Math.min(message.length(), LONGEST_MESSAGE);
        if (end < message.length() && Character.isHighSurrogate(message.charAt(end - 1))) {
            end--;
        }
        JsonWriter frame = begin("error").field("code", code).field("message", message.substring(0, end));
        if (id > 0) {
            frame.field("id", id);
        }
        send();
    }

    /** Ends the session with a goodbye. */
    void close(String reason) {
        if (!closed) {
            begin("goodbye").field("reason", reason);
            send();
            closed = true;
        }
    }

    /** Pings after a long silence; false where the other side counts as dead. */
    boolean pulse(long now) {
        if (now >= heardAt + timing.dead) {
            return false;
        }
        if (now >= nextPing()) {
            pingedAt = now;
            begin("ping").field("n", ++pings);
            send();
        }
        return true;
    }

    /** When {@link #pulse} has something to do next. */
    long nextPulse() {
        return Math.min(nextPing(), heardAt + timing.dead);
    }

    private long nextPing() {
        return Math.max(heardAt, pingedAt) + timing.idle;
    }

    private void line(int start, int end, long now, Listener listener) {
        String type;
        JsonObject frame;
        try {
            frame = reader.read(in, start, end);
            type = Frames.check(frame);
        } catch (Fault fault) {
            faults++;
            listener.unreadable(fault);
            return;
        }
        heardAt = now;
        listener.frame(type, frame, now);
    }

    private void keepFrom(int start) {
        length -= start;
        searched -= start;
        if (length > 0 && start > 0) {
            System.arraycopy(in, start, in, 0, length);
        } else if (length == 0) {
            searched = 0;
            if (in.length > 1 << 17) {
                in = new byte[8192];
            }
        }
    }
}
