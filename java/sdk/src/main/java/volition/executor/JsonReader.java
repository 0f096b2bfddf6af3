package volition.executor;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads one strict JSON object: UTF-8, no duplicate keys, no NaN or infinity, integers up to 2^53 - 1, at most
 * {@link #MAX_DEPTH} levels, nothing after the object. Whatever the bytes, it returns an object or throws a
 * {@link Fault}. One reader serves one thread, and is made for a game's loop: the objects that it returns are reused
 * for the next line, and repeated short texts are the same strings.
 */
final class JsonReader {
    /** How deeply arrays and objects may be nested, including the outermost. */
    static final int MAX_DEPTH = 32;
    /** The largest integer that every reader of JSON keeps exact. */
    static final long MAX_INTEGER = (1L << 53) - 1;

    private static final int KEPT = 8;

    private byte[] bytes;
    private int at;
    private int end;
    private Fault first;
    private int used;
    private final List<JsonObject> objects = new ArrayList<>();
    private final JsonWords words = new JsonWords();
    private final JsonText text = new JsonText();

    /** The object in {@code bytes} from {@code from} to {@code to}; it is valid until the next call. */
    JsonObject read(byte[] bytes, int from, int to) throws Fault {
        this.bytes = bytes;
        at = from;
        end = to;
        first = null;
        used = 0;
        try {
            Object value = value(1);
            blanks();
            if (at < end) {
                throw notJson("text after the value");
            }
            if (!(value instanceof JsonObject)) {
                throw new Fault(Fault.Code.NOT_OBJECT, "the line holds a value that is not an object");
            }
            if (first != null) {
                throw first;
            }
            return (JsonObject) value;
        } catch (Fault fault) {
            int wrong = JsonText.firstNotUtf8(bytes, from, to);
            if (wrong < 0) {
                throw fault;
            }
            throw new Fault(Fault.Code.NOT_UTF8, "the byte at offset " + (wrong - from) + " is not UTF-8");
        }
    }

    private Object value(int depth) throws Fault {
        blanks();
        if (at >= end) {
            throw notJson("the line ends too early");
        }
        byte c = bytes[at];
        switch (c) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                if (c == '-' || (c >= '0' && c <= '9')) {
                    return number();
                }
                throw notJson("no value begins like this");
        }
    }

    private JsonObject object(int depth) throws Fault {
        enter(depth);
        JsonObject object = fresh();
        blanks();
        if (peek() == '}') {
            at++;
            return object;
        }
        while (true) {
            blanks();
            if (peek() != '"') {
                throw notJson("a key in quotes was expected");
            }
            String key = string();
            blanks();
            expect(':');
            Object value = value(depth + 1);
            if (!object.add(key, value)) {
                note(Fault.Code.DUPLICATE_KEY, "the key '" + Frames.shown(key) + "' is duplicated in one object");
            }
            blanks();
            if (peek() == '}') {
                at++;
                return object;
            }
            expect(',');
        }
    }

    private JsonObject fresh() {
        if (used == KEPT) {
            return new JsonObject();
        }
        if (used == objects.size()) {
            objects.add(new JsonObject());
        }
        JsonObject object = objects.get(used++);
        object.clear();
        return object;
    }

    private List<Object> array(int depth) throws Fault {
        enter(depth);
        List<Object> array = new ArrayList<>(4);
        blanks();
        if (peek() == ']') {
            at++;
            return array;
        }
        while (true) {
            array.add(value(depth + 1));
            blanks();
            if (peek() == ']') {
                at++;
                return array;
            }
            expect(',');
        }
    }

    private void enter(int depth) throws Fault {
        if (depth > MAX_DEPTH) {
            throw new Fault(Fault.Code.TOO_DEEP, "the frame is nested too deeply");
        }
        at++;
    }

    private String string() throws Fault {
        int start = ++at;
        while (at < end) {
            byte c = bytes[at];
            if (c == '"') {
                return words.word(bytes, start, at++);
            }
            if (c < 0x20 || c == '\\') {
                // Negative bytes are parts of longer characters.
                String string = text.read(bytes, start, end);
                at = text.end();
                return string;
            }
            at++;
        }
        throw notJson("a text without an end");
    }

    private Object word(String word, Object value) throws Fault {
        if (end - at < word.length()) {
            throw notJson("no value begins like this");
        }
        for (int i = 0; i < word.length(); i++) {
            if (bytes[at + i] != word.charAt(i)) {
                throw notJson("no value begins like this");
            }
        }
        at += word.length();
        return value;
    }

    private Object number() throws Fault {
        int start = at;
        boolean negative = bytes[at] == '-';
        if (negative) {
            at++;
        }
        int whole = digits();
        if (whole == 0 || (whole > 1 && bytes[at - whole] == '0')) {
            throw notJson("a number that is written wrongly");
        }
        int fraction = 0;
        boolean exact = true;
        if (peek() == '.') {
            at++;
            fraction = digits();
            exact = fraction > 0;
        }
        boolean scaled = peek() == 'e' || peek() == 'E';
        if (scaled) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            exact = exact && digits() > 0;
        }
        if (!exact) {
            throw notJson("a number that is written wrongly");
        }
        // Not with the conditional operator, which would turn both into a double.
        if (fraction == 0 && !scaled) {
            return integer(start, negative, whole);
        }
        return JsonNumber.decimal(bytes, start, at, fraction, scaled);
    }

    private Long integer(int start, boolean negative, int whole) {
        long number = 0;
        for (int i = at - whole; i < at && number <= MAX_INTEGER; i++) {
            number = number * 10 + bytes[i] - '0';
        }
        if (number > MAX_INTEGER) {
            String digits = new String(bytes, start, Math.min(at - start, 40), StandardCharsets.ISO_8859_1);
            note(Fault.Code.BAD_NUMBER, "the integer " + digits + " is too large");
        }
        return negative ? -number : number;
    }

    private int digits() {
        int start = at;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at - start;
    }

    private void blanks() {
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n')) {
            at++;
        }
    }

    private int peek() {
        return at < end ? bytes[at] : -1;
    }

    private void expect(char wanted) throws Fault {
        if (peek() != wanted) {
            throw notJson("'" + wanted + "' was expected");
        }
        at++;
    }

    /** Keeps the first fault of a line that may still turn out not to be JSON at all. */
    private void note(Fault.Code code, String message) {
        if (first == null) {
            first = new Fault(code, message);
        }
    }

    private Fault notJson(String message) {
        return new Fault(Fault.Code.NOT_JSON, "not JSON: " + message);
    }
}
