package volition.executor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A declared intent: its name, its parameters, and the results that it can have. {@link ExecutorServer#declare}
 * takes it, with what the game does when it arrives.
 *
 * <pre>{@code
 * Declaration.of("DIG").integers("at", 3).choice("tool", "pick", "spade").optional("tool")
 *     .canEnd(Status.FAILURE, Reason.BLOCKED).describedAs("Dig out one block.")
 * }</pre>
 *
 * Parameters are required unless they are {@link #optional}. What is wrong is refused with IllegalArgumentException.
 */
public final class Declaration {
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

    /** Every status with every reason that goes with it. */
    static final Set<String> KINDS = kinds();

    final String name;
    final Set<String> results = new LinkedHashSet<>(List.of(kind(Status.SUCCESS, Reason.NONE)));
    String description = "";
    final List<JsonObject> examples = new ArrayList<>();
    final List<String> agents = new ArrayList<>();
    private final JsonObject members = new JsonObject();
    private final Set<String> optional = new HashSet<>();
    private JsonObject whole;

    private Declaration(String name) {
        this.name = name;
    }

    /** An intent by its name: a capital letter, then up to 63 capital letters, digits and underscores; none of the seven. */
    public static Declaration of(String name) {
        if (!isName(name) || Intent.named(name) != null) {
            throw new IllegalArgumentException(Frames.shown(name) + " is not a name for a declared intent: it is a "
                + "capital letter, then up to 63 capital letters, digits and underscores, and none of the seven");
        }
        return new Declaration(name);
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** How a result is named in a declaration. */
    static String kind(Status status, Reason reason) {
        return status + "/" + reason;
    }

    private static Set<String> kinds() {
        Set<String> kinds = new HashSet<>();
        for (Status status : Status.values()) {
            for (Reason reason : Reason.values()) {
                if (status == Status.PARTIAL || (status == Status.SUCCESS) == (reason == Reason.NONE)) {
                    kinds.add(kind(status, reason));
                }
            }
        }
        return kinds;
    }

    /** A parameter that is an integer. */
    public Declaration integer(String name) {
        return add(name, typed("integer"));
    }

    /** A parameter that is an integer within limits, both included. */
    public Declaration integer(String name, long least, long most) {
        return add(name, limited(typed("integer"), "minimum", least, "maximum", most));
    }

    /** A parameter that is a number. */
    public Declaration number(String name) {
        return add(name, typed("number"));
    }

    /** A parameter that is a number within limits, both included. */
    public Declaration number(String name, double least, double most) {
        return add(name, limited(typed("number"), "minimum", least, "maximum", most));
    }

    /** A parameter that is a text. */
    public Declaration text(String name) {
        return add(name, typed("string"));
    }

    /** A parameter that is a text of so many characters (code points). */
    public Declaration text(String name, int least, int most) {
        return add(name, limited(typed("string"), "minLength", (long) least, "maxLength", (long) most));
    }

    /** A parameter that is one of these texts. */
    public Declaration choice(String name, String... words) {
        JsonObject schema = typed("string");
        schema.add("enum", Arrays.asList(words.clone()));
        return add(name, schema);
    }

    /** A parameter that is true or false. */
    public Declaration flag(String name) {
        return add(name, typed("boolean"));
    }

    /** A parameter that is an array of so many integers. */
    public Declaration integers(String name, int count) {
        return add(name, array("integer", count));
    }

    /** A parameter that is an array of so many numbers, such as a place. */
    public Declaration numbers(String name, int count) {
        return add(name, array("number", count));
    }

    /** A parameter with any schema, as JSON: for lists, objects, and descriptions for minds. */
    public Declaration parameter(String name, String schema) {
        return add(name, JsonTree.read(schema));
    }

    /** All parameters at once, as a JSON Schema in the part of it that the protocol's page lists; in place of the others. */
    public Declaration parameters(String schema) {
        if (whole != null || members.size() > 0) {
            throw new IllegalArgumentException("the parameters of " + name + " are described already");
        }
        JsonObject read = JsonTree.read(schema);
        whole = read.size() == 0 ? Schema.empty() : read;
        return this;
    }

    /** These parameters may be left out. */
    public Declaration optional(String... names) {
        for (String each : names) {
            if (!members.has(each)) {
                throw new IllegalArgumentException(name + " has no parameter '" + each + "' that may be left out");
            }
            optional.add(each);
        }
        return this;
    }

    /**
     * It can end like this. SUCCESS it always can, and any intent can end as PARTIAL/NONE, FAILURE/UNKNOWN,
     * FAILURE/INVALID_STATE and FAILURE/RESOURCE_EXHAUSTED: cut short, lost, out of sync or refused.
     */
    public Declaration canEnd(Status status, Reason reason) {
        if (!KINDS.contains(kind(status, reason))) {
            throw new IllegalArgumentException(status + " with the reason " + reason);
        }
        results.add(kind(status, reason));
        return this;
    }

    /** What it does, for people and for minds that choose among intents. */
    public Declaration describedAs(String text) {
        description = text;
        return this;
    }

    /** Parameters, as JSON, with which it can succeed when an episode begins: the conformance kit tries them. */
    public Declaration example(String parameters) {
        examples.add(JsonTree.read(parameters));
        return this;
    }

    /** Actors that can do it, by name, where there are several: the conformance kit asks for one of them; others may do it too. */
    public Declaration agents(String... names) {
        for (String each : names) {
            if (!Frames.isName(each)) {
                throw new IllegalArgumentException("the name of an agent has 1 to 200 characters: " + Frames.shown(each));
            }
            agents.add(each);
        }
        return this;
    }

    /** The schema of all parameters, which nobody changes any more; IllegalArgumentException where it is wrong. */
    JsonObject schema() {
        JsonObject schema = whole;
        if (schema == null) {
            schema = new JsonObject();
            schema.add("type", "object");
            schema.add("properties", members);
            schema.add("required", required());
            schema.add("additionalProperties", Boolean.FALSE);
        }
        List<String> problems = Schema.problems(schema);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(name + ": " + String.join("; ", problems));
        }
        return (JsonObject) JsonTree.copy(schema);
    }

    private List<String> required() {
        Set<String> names = new LinkedHashSet<>();
        for (int at = 0; at < members.size(); at++) {
            names.add(members.key(at));
        }
        return names.stream().filter(each -> !optional.contains(each)).collect(Collectors.toList());
    }

    private Declaration add(String parameter, JsonObject schema) {
        if (whole != null || !members.add(parameter, schema)) {
            throw new IllegalArgumentException("the parameter '" + parameter + "' of " + name + " is described already");
        }
        return this;
    }

    private static JsonObject typed(String type) {
        JsonObject schema = new JsonObject();
        schema.add("type", type);
        return schema;
    }

    private static JsonObject array(String type, int count) {
        JsonObject schema = typed("array");
        schema.add("items", typed(type));
        return limited(schema, "minItems", (long) count, "maxItems", (long) count);
    }

    private static <T extends Comparable<T>> JsonObject limited(
        JsonObject schema, String low, T least, String high, T most) {
        if (least.compareTo(most) > 0) {
            throw new IllegalArgumentException("nothing is between " + least + " and " + most);
        }
        schema.add(low, least);
        schema.add(high, most);
        return schema;
    }
}
