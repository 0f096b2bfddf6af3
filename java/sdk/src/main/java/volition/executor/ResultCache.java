package volition.executor;

import java.util.Arrays;

/** The lines of the last results, so that a repeated id gets the same answer; the arrays are reused. */
final class ResultCache {
    private final long[] ids;
    private final byte[][] lines;
    private final int[] lengths;
    private int next;

    ResultCache(int size) {
        ids = new long[size];
        lines = new byte[size][];
        lengths = new int[size];
    }

    /** Remembers a line, in place of the oldest one. */
    void put(long id, byte[] bytes, int from, int to) {
        int length = to - from;
        if (lines[next] == null || lines[next].length < length || lines[next].length > 4 * length + 1024) {
            lines[next] = Arrays.copyOfRange(bytes, from, to);
        } else {
            System.arraycopy(bytes, from, lines[next], 0, length);
        }
        ids[next] = id;
        lengths[next] = length;
        next = next + 1 == ids.length ? 0 : next + 1;
    }

    /** Sends the line of an id again; false where it is not remembered. */
    boolean repeat(long id, Link link) {
        for (int at = 0; at < ids.length; at++) {
            if (ids[at] == id) {
                link.repeat(lines[at], lengths[at]);
                return true;
            }
        }
        return false;
    }
}
