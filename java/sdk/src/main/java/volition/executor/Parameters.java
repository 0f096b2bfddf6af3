package volition.executor;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * The parameters of an intent that the game has declared, or an object within them. They fit the declaration, so a game only
 * asks {@link #has} for those that are optional. Names that were not declared, and values of another kind, are refused with
 * IllegalArgumentException.
 */
public final class Parameters {
    static final Parameters NONE = new Parameters(new JsonObject());

    private final JsonObject values;

    private Parameters(JsonObject values) {
        this.values = values;
    }

    /** Parameters as they were read; null where there are none. */
    static Parameters of(JsonObject read) {
        return read == null || read.size() == 0 ? NONE : new Parameters((JsonObject) JsonTree.copy(read));
    }

    /** Whether a parameter was given. */
    public boolean has(String name) {
        return values.has(name);
    }

    /** An integer. */
    public long integer(String name) {
        return value(name, Long.class, "an integer");
    }

    /** An integer, or another one where none was given. */
    public long integer(String name, long otherwise) {
        return has(name) ? integer(name) : otherwise;
    }

    /** A number, with or without a fraction. */
    public double number(String name) {
        return value(name, Number.class, "a number").doubleValue();
    }

    /** A number, or another one where none was given. */
    public double number(String name, double otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    /** A text. */
    public String text(String name) {
        return value(name, String.class, "a text");
    }

    /** A text, or another one, possibly null, where none was given. */
    public String text(String name, String otherwise) {
        return has(name) ? text(name) : otherwise;
    }

    /** A truth value. */
    public boolean flag(String name) {
        return value(name, Boolean.class, "true or false");
    }

    /** A truth value, or another one where none was given. */
    public boolean flag(String name, boolean otherwise) {
        return has(name) ? flag(name) : otherwise;
    }

    /** An array of integers. */
    public long[] integers(String name) {
        return items(name, Long.class, Function.identity()).stream().mapToLong(Long::longValue).toArray();
    }

    /** An array of numbers. */
    public double[] numbers(String name) {
        return items(name, Number.class, Function.identity()).stream().mapToDouble(Number::doubleValue).toArray();
    }

    /** An array of texts. */
    public List<String> texts(String name) {
        return items(name, String.class, Function.identity());
    }

    /** An object. */
    public Parameters object(String name) {
        return new Parameters(value(name, JsonObject.class, "an object"));
    }

    /** An array of objects. */
    public List<Parameters> objects(String name) {
        return items(name, JsonObject.class, Parameters::new);
    }

    /**
     * An array of anything: its items are {@code Long}, {@code Double}, {@code String}, {@code Boolean}, {@code Parameters} or
     * lists of such.
     */
    public List<Object> list(String name) {
        return items(name, Object.class, Parameters::shown);
    }

    /** The parameters as JSON. */
    @Override
    public String toString() {
        JsonWriter out = new JsonWriter();
        JsonTree.write(out, values);
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }

    private <T> T value(String name, Class<T> kind, String words) {
        Object value = values.get(name);
        if (!kind.isInstance(value)) {
            throw new IllegalArgumentException(
                value == null ? "no parameter '" + name + "' was given" : "'" + name + "' is not " + words);
        }
        return kind.cast(value);
    }

    private <T, R> List<R> items(String name, Class<T> kind, Function<T, R> show) {
        List<R> items = new ArrayList<>();
        for (Object item : value(name, List.class, "an array")) {
            if (!kind.isInstance(item)) {
                throw new IllegalArgumentException("'" + name + "' has other items");
            }
            items.add(show.apply(kind.cast(item)));
        }
        return Collections.unmodifiableList(items);
    }

    private static Object shown(Object value) {
        if (value instanceof List) {
            List<Object> items = new ArrayList<>();
            ((List<?>) value).forEach(each -> items.add(shown(each)));
            return Collections.unmodifiableList(items);
        }
        return value instanceof JsonObject ? new Parameters((JsonObject) value) : value;
    }
}
