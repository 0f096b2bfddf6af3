package volition.executor;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Values as {@link JsonReader} reads them: from a text, into a writer, and copies that outlast the next line. */
final class JsonTree {
    private JsonTree() {}

    /** The object in a text; IllegalArgumentException where it is not one in strict JSON. */
    static JsonObject read(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            return new JsonReader().read(bytes, 0, bytes.length);
        } catch (Fault fault) {
            throw new IllegalArgumentException(fault.getMessage() + ": " + Frames.shown(text), fault);
        }
    }

    static void write(JsonWriter out, Object value) {
        if (value instanceof JsonObject) {
            JsonObject object = (JsonObject) value;
            out.object();
            for (int at = 0; at < object.size(); at++) {
                write(out.key(object.key(at)), object.get(object.key(at)));
            }
            out.end();
        } else if (value instanceof List) {
            out.array();
            ((List<?>) value).forEach(each -> write(out, each));
            out.end();
        } else if (value instanceof Long) {
            out.value((Long) value);
        } else if (value instanceof Double) {
            out.value((Double) value);
        } else if (value instanceof Boolean) {
            out.value((Boolean) value);
        } else {
            out.value((String) value);
        }
    }

    static Object copy(Object value) {
        if (value instanceof JsonObject) {
            JsonObject object = (JsonObject) value;
            JsonObject copy = new JsonObject();
            for (int at = 0; at < object.size(); at++) {
                copy.add(object.key(at), copy(object.get(object.key(at))));
            }
            return copy;
        }
        if (value instanceof List) {
            List<Object> copy = new ArrayList<>();
            ((List<?>) value).forEach(each -> copy.add(copy(each)));
            return copy;
        }
        return value;
    }
}
