package volition.executor;

/** Texts with escapes or characters beyond ASCII, from strict UTF-8; and the check that bytes are UTF-8. */
final class JsonText {
    /** The letters after a backslash, and the characters that they mean. */
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String MEANINGS = "\"\\/\b\f\n\r\t";

    private final StringBuilder out = new StringBuilder();
    private byte[] bytes;
    private int at;
    private int limit;

    /** The text that begins at {@code from}, after its opening quote; {@link #end} is then after its closing one. */
    String read(byte[] bytes, int from, int to) throws Fault {
        this.bytes = bytes;
        at = from;
        limit = to;
        out.setLength(0);
        while (at < limit) {
            int c = bytes[at];
            if (c == '"') {
                at++;
                return finished();
            }
            if (c == '\\') {
                escape();
            } else if (c >= 0x20) {
                out.append((char) c);
                at++;
            } else if (c >= 0) {
                throw notJson("a control character in a text");
            } else {
                int length = sequence(bytes, at, limit);
                if (length == 0) {
                    throw new Fault(Fault.Code.NOT_UTF8, "a text that is not UTF-8");
                }
                out.appendCodePoint(codePoint(length));
                at += length;
            }
        }
        throw notJson("a text without an end");
    }

    int end() {
        return at;
    }

    /** The index of the first byte that is not UTF-8; -1 where all are. */
    static int firstNotUtf8(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            int length = bytes[at] >= 0 ? 1 : sequence(bytes, at, to);
            if (length == 0) {
                return at;
            }
            at += length;
        }
        return -1;
    }

    /** How many bytes the character beyond ASCII at {@code at} has; 0 where it is none: too short, too long, no scalar. */
    private static int sequence(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xFF;
        int length = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (length == 0 || at + length > to) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    private int codePoint(int length) {
        int point = bytes[at] & (0xFF >> (length + 1));
        for (int i = 1; i < length; i++) {
            point = point << 6 | bytes[at + i] & 0x3F;
        }
        return point;
    }

    private void escape() throws Fault {
        int c = at + 1 < limit ? bytes[at + 1] : -1;
        at += 2;
        int known = c < 0 ? -1 : ESCAPES.indexOf(c);
        if (known >= 0) {
            out.append(MEANINGS.charAt(known));
        } else if (c == 'u') {
            unicode();
        } else {
            throw notJson("an escape that is none");
        }
    }

    /** A character by its code point: one unit or a surrogate pair. */
    private void unicode() throws Fault {
        char unit = hex();
        out.append(unit);
        if (Character.isHighSurrogate(unit)) {
            if (at + 1 >= limit || bytes[at] != '\\' || bytes[at + 1] != 'u') {
                throw notJson("half a character");
            }
            at += 2;
            char low = hex();
            if (!Character.isLowSurrogate(low)) {
                throw notJson("half a character");
            }
            out.append(low);
        } else if (Character.isLowSurrogate(unit)) {
            throw notJson("half a character");
        }
    }

    private char hex() throws Fault {
        int unit = 0;
        for (int i = 0; i < 4; i++, at++) {
            int digit = at < limit && bytes[at] >= 0 ? Character.digit(bytes[at], 16) : -1;
            if (digit < 0) {
                throw notJson("an escape that is none");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private String finished() {
        String text = out.toString();
        if (out.capacity() > 4096) {
            out.setLength(0);
            out.trimToSize();
        }
        return text;
    }

    private static Fault notJson(String message) {
        return new Fault(Fault.Code.NOT_JSON, "not JSON: " + message);
    }
}
