package volition.executor;

import java.nio.charset.StandardCharsets;

/** Short texts that were read before, so that a repeated key or name needs no new string. */
final class JsonWords {
    private static final int LONGEST = 32;

    private final String[] known = new String[512];

    /** The text of these bytes, which are ASCII. */
    String word(byte[] bytes, int from, int to) {
        int length = to - from;
        if (length > LONGEST) {
            return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        }
        int hash = length;
        for (int at = from; at < to; at++) {
            hash = hash * 31 + bytes[at];
        }
        int slot = (hash ^ hash >>> 9) & (known.length - 1);
        String candidate = known[slot];
        if (candidate == null || !same(candidate, bytes, from, length)) {
            candidate = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
            known[slot] = candidate;
        }
        return candidate;
    }

    private static boolean same(String word, byte[] bytes, int from, int length) {
        if (word.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (word.charAt(i) != bytes[from + i]) {
                return false;
            }
        }
        return true;
    }
}
