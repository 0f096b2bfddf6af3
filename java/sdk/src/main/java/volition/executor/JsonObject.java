package volition.executor;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One object that was read: its keys in order, without duplicates. Values are {@code Long}, {@code Double}, {@code String},
 * {@code Boolean}, {@code List}, {@code JsonObject} or null. Small objects are searched from the front; large ones
 * keep an index, so that lookups stay fast.
 */
final class JsonObject {
    private static final int SMALL = 16;

    private String[] keys = new String[8];
    private Object[] values = new Object[8];
    private int size;
    private Map<String, Integer> index;

    /** Clears it; a large one drops its storage. */
    void clear() {
        if (size > SMALL) {
            keys = new String[8];
            values = new Object[8];
            index = null;
        }
        size = 0;
    }

    /** Adds a key; false, and nothing changed, where it already exists. */
    boolean add(String key, Object value) {
        if (find(key) >= 0) {
            return false;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
            values = Arrays.copyOf(values, size * 2);
        }
        keys[size] = key;
        values[size] = value;
        if (index != null) {
            index.put(key, size);
        } else if (size == SMALL) {
            index = new HashMap<>();
            for (int at = 0; at <= size; at++) {
                index.put(keys[at], at);
            }
        }
        size++;
        return true;
    }

    int size() {
        return size;
    }

    String key(int at) {
        return keys[at];
    }

    boolean has(String key) {
        return find(key) >= 0;
    }

    /** The value of a key; null where it is null or missing. */
    Object get(String key) {
        int at = find(key);
        return at < 0 ? null : values[at];
    }

    /** The text of a key that is known to hold one or nothing. */
    String text(String key) {
        return (String) get(key);
    }

    /** The integer of a key that is known to hold one or nothing. */
    long integer(String key, long otherwise) {
        Object value = get(key);
        return value instanceof Long ? (Long) value : otherwise;
    }

    private int find(String key) {
        if (index != null) {
            return index.getOrDefault(key, -1);
        }
        for (int at = 0; at < size; at++) {
            if (keys[at].equals(key)) {
                return at;
            }
        }
        return -1;
    }
}
