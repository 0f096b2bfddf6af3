package volition.executor;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** JSON as plain maps and lists, and its canonical bytes (RFC 8785, for ASCII text and whole numbers). */
public final class Trees {
    private Trees() {}

    /** The value that a writer writes, read back. */
    public static Object written(Consumer<JsonWriter> write) {
        JsonWriter out = new JsonWriter();
        write.accept(out);
        return parse(Arrays.copyOf(out.bytes(), out.length()));
    }

    public static Object parse(byte[] bytes) {
        try {
            return plain(new JsonReader().read(bytes, 0, bytes.length));
        } catch (Fault fault) {
            throw new AssertionError(fault.getMessage());
        }
    }

    /** The payload of a result that says everything itself, as in a frame. */
    public static Object result(Result result) {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"));
        talk.session.next(0).finish(result);
        return ((Map<?, ?>) parse(talk.said().get(0).getBytes(StandardCharsets.UTF_8))).get("result");
    }

    public static String sha256(Object tree) {
        try {
            byte[] bytes = canonical(tree).getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return String.format("%064x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String canonical(Object tree) {
        if (tree instanceof Map) {
            Map<String, Object> sorted = new TreeMap<>();
            ((Map<?, ?>) tree).forEach((key, value) -> sorted.put((String) key, value));
            return sorted.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\":" + canonical(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        }
        if (tree instanceof List) {
            return ((List<?>) tree).stream().map(Trees::canonical).collect(Collectors.joining(",", "[", "]"));
        }
        if (tree instanceof Double) {
            return String.valueOf(((Double) tree).longValue());
        }
        return tree instanceof String ? "\"" + tree + "\"" : String.valueOf(tree);
    }

    private static Object plain(Object value) {
        if (value instanceof JsonObject) {
            JsonObject object = (JsonObject) value;
            Map<String, Object> map = new HashMap<>();
            for (int i = 0; i < object.size(); i++) {
                map.put(object.key(i), plain(object.get(object.key(i))));
            }
            return map;
        }
        return value instanceof List
            ? ((List<?>) value).stream().map(Trees::plain).collect(Collectors.toList()) : value;
    }
}
