package volition.executor;

import java.util.Arrays;

/** A growing array of bytes, and how texts and integers are written into it as JSON. */
final class JsonBytes {
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final int LONGEST_KNOWN = 64;
    private static final int USUAL = 4096;

    byte[] bytes = new byte[USUAL];
    int length;

    private final String[] known = new String[1024];
    private final byte[][] encoded = new byte[1024][];

    /** Drops the first {@code count} bytes; a large array is dropped when it is empty. */
    void drop(int count) {
        System.arraycopy(bytes, count, bytes, 0, length - count);
        length -= count;
        if (length == 0 && bytes.length > 1 << 16) {
            bytes = new byte[USUAL];
        }
    }

    void raw(byte[] source, int from, int count) {
        room(count);
        System.arraycopy(source, from, bytes, length, count);
        length += count;
    }

    /** Writes a string in quotes; the same object as before is copied, which is the usual case for keys. */
    void text(String text) {
        int slot = (text.hashCode() ^ text.hashCode() >>> 10) & (known.length - 1);
        byte[] form = encoded[slot];
        if (known[slot] == text) {
            room(form.length);
            System.arraycopy(form, 0, bytes, length, form.length);
            length += form.length;
            return;
        }
        int start = length;
        encode(text);
        if (length - start <= LONGEST_KNOWN) {
            known[slot] = text;
            encoded[slot] = Arrays.copyOfRange(bytes, start, length);
        }
    }

    private void encode(String text) {
        int count = text.length();
        room(count * 6 + 2);
        bytes[length++] = '"';
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
                bytes[length++] = (byte) c;
            } else if (Character.isSurrogate(c)) {
                int point = text.codePointAt(i++);
                if (point < 0x10000) {
                    throw new IllegalArgumentException("half a character in a text");
                }
                bytes[length++] = (byte) (0xF0 | point >> 18);
                bytes[length++] = (byte) (0x80 | point >> 12 & 0x3F);
                bytes[length++] = (byte) (0x80 | point >> 6 & 0x3F);
                bytes[length++] = (byte) (0x80 | point & 0x3F);
            } else {
                special(c);
            }
        }
        bytes[length++] = '"';
    }

    private void special(char c) {
        if (c == '"' || c == '\\') {
            bytes[length++] = '\\';
            bytes[length++] = (byte) c;
        } else if (c < 0x20) {
            bytes[length++] = '\\';
            bytes[length++] = 'u';
            bytes[length++] = '0';
            bytes[length++] = '0';
            bytes[length++] = HEX[c >> 4];
            bytes[length++] = HEX[c & 15];
        } else if (c < 0x800) {
            bytes[length++] = (byte) (0xC0 | c >> 6);
            bytes[length++] = (byte) (0x80 | c & 0x3F);
        } else {
            bytes[length++] = (byte) (0xE0 | c >> 12);
            bytes[length++] = (byte) (0x80 | c >> 6 & 0x3F);
            bytes[length++] = (byte) (0x80 | c & 0x3F);
        }
    }

    void digits(long number) {
        room(20);
        byte[] into = bytes;
        long rest = Math.abs(number);
        if (number < 0) {
            into[length++] = '-';
        }
        if (rest < 10) {
            into[length++] = (byte) ('0' + rest);
            return;
        }
        int count = 2;
        for (long power = 100; power <= rest; power *= 10) {
            count++;
        }
        length += count;
        for (int at = length - 1; count > 0; at--, count--) {
            long tens = rest / 10;
            into[at] = (byte) ('0' + rest - tens * 10);
            rest = tens;
        }
    }

    void ascii(String text) {
        int count = text.length();
        room(count);
        byte[] into = bytes;
        int at = length;
        for (int i = 0; i < count; i++) {
            into[at++] = (byte) text.charAt(i);
        }
        length = at;
    }

    void put(char c) {
        room(1);
        bytes[length++] = (byte) c;
    }

    private void room(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
    }
}
