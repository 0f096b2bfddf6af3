package volition.executor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes strict JSON into a growing array of bytes. A game gets one to describe its state:
 *
 * <pre>{@code
 * out.object().field("health", 10).array("position").value(1.5).value(0).end().end();
 * }</pre>
 *
 * What strict JSON cannot hold is refused where it is written: NaN and infinity, integers beyond 2^53 - 1, half a
 * character, too many levels, a key outside an object, a duplicate key, a value without its key.
 */
public final class JsonWriter {
    private static final int MANY_KEYS = 64;

    private final JsonBytes out = new JsonBytes();
    private int depth;
    /** Bit d is set where depth d already has a value, and where the container at depth d is an object. */
    private long filled;
    private long objects;
    private boolean keyed;
    /** The keys of the object that is open at each depth. */
    private final List<Set<String>> keys = new ArrayList<>();

    /** Begins an object. */
    public JsonWriter object() {
        return begin('{', true);
    }

    /** Begins an object under a key. */
    public JsonWriter object(String key) {
        return key(key).object();
    }

    /** Begins an array. */
    public JsonWriter array() {
        return begin('[', false);
    }

    /** Begins an array under a key. */
    public JsonWriter array(String key) {
        return key(key).array();
    }

    /** Ends the innermost object or array. */
    public JsonWriter end() {
        if (depth == 0 || keyed) {
            throw new IllegalStateException("nothing to end here");
        }
        out.put((objects >>> depth & 1) != 0 ? '}' : ']');
        depth--;
        return this;
    }

    /** Writes a key of the innermost object; its value follows. */
    public JsonWriter key(String key) {
        if (keyed || (objects >>> depth & 1) == 0 || depth == 0) {
            throw new IllegalStateException("the key '" + key + "' is not inside an object");
        }
        if (!keys.get(depth).add(key)) {
            throw new IllegalStateException("the key '" + key + "' is in this object already");
        }
        separate();
        out.text(key);
        out.put(':');
        keyed = true;
        return this;
    }

    public JsonWriter value(long number) {
        if (number > JsonReader.MAX_INTEGER || number < -JsonReader.MAX_INTEGER) {
            throw new IllegalArgumentException("the integer " + number + " is beyond 2^53 - 1");
        }
        before();
        out.digits(number);
        return this;
    }

    public JsonWriter value(double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            throw new IllegalArgumentException(number + " is not a JSON number");
        }
        before();
        long whole = (long) number;
        if (whole == number && Math.abs(whole) < 1_000_000_000_000_000L) {
            out.digits(whole);
            out.put('.');
            out.put('0');
        } else {
            out.ascii(Double.toString(number));
        }
        return this;
    }

    public JsonWriter value(boolean truth) {
        before();
        out.ascii(truth ? "true" : "false");
        return this;
    }

    /** Writes a text, or null. */
    public JsonWriter value(String text) {
        before();
        if (text == null) {
            out.ascii("null");
        } else {
            out.text(text);
        }
        return this;
    }

    public JsonWriter field(String key, long number) {
        return key(key).value(number);
    }

    public JsonWriter field(String key, double number) {
        return key(key).value(number);
    }

    public JsonWriter field(String key, boolean truth) {
        return key(key).value(truth);
    }

    public JsonWriter field(String key, String text) {
        return key(key).value(text);
    }

    // For the session: the bytes, undoing, and lines.

    byte[] bytes() {
        return out.bytes;
    }

    int length() {
        return out.length;
    }

    int depth() {
        return depth;
    }

    /** Whether a value is complete at this depth: no key waits for its value. */
    boolean settled(int depth) {
        return this.depth == depth && !keyed;
    }

    /** Restarts after the first {@code length} bytes. */
    void rewind(int length) {
        out.length = length;
        depth = 0;
        filled = objects = 0;
        keyed = false;
    }

    /** Returns to an object at {@code depth} that is still open and already has a field. */
    void rewindInto(int length, int depth) {
        out.length = length;
        this.depth = depth;
        filled |= 1L << depth;
        objects |= 1L << depth;
        keyed = false;
    }

    /** Drops the first {@code count} bytes, which have been sent. */
    void drop(int count) {
        out.drop(count);
    }

    void newline() {
        out.put('\n');
    }

    void raw(byte[] source, int count) {
        out.raw(source, 0, count);
    }

    private JsonWriter begin(char bracket, boolean object) {
        if (depth == JsonReader.MAX_DEPTH) {
            throw new IllegalStateException("more than " + JsonReader.MAX_DEPTH + " levels, the frame's own included");
        }
        before();
        out.put(bracket);
        depth++;
        filled &= ~(1L << depth);
        objects = object ? objects | 1L << depth : objects & ~(1L << depth);
        if (object) {
            forgetKeys();
        }
        return this;
    }

    /** A new object begins at this depth. A set that has grown large is dropped: clearing it would cost its size. */
    private void forgetKeys() {
        while (keys.size() <= depth) {
            keys.add(new HashSet<>());
        }
        if (keys.get(depth).size() > MANY_KEYS) {
            keys.set(depth, new HashSet<>());
        } else {
            keys.get(depth).clear();
        }
    }

    private void before() {
        if (keyed) {
            keyed = false;
        } else if (depth > 0) {
            if ((objects >>> depth & 1) != 0) {
                throw new IllegalStateException("a value in an object needs its key first");
            }
            separate();
        }
    }

    private void separate() {
        if ((filled >>> depth & 1) != 0) {
            out.put(',');
        }
        filled |= 1L << depth;
    }
}
