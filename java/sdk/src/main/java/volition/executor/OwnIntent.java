package volition.executor;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** An intent that the game has declared, and what it does when it arrives. */
final class OwnIntent {
    /** How any intent may end: cut short, lost, out of sync, or refused before it was attempted. */
    private static final Set<String> ALWAYS =
        Set.of("PARTIAL/NONE", "FAILURE/UNKNOWN", "FAILURE/INVALID_STATE", "FAILURE/RESOURCE_EXHAUSTED");

    final String name;
    final Consumer<IncomingIntent> act;
    private final JsonObject schema;
    private final String[] results;
    private final String description;
    private final List<JsonObject> examples;
    private final List<String> agents;

    OwnIntent(Declaration declaration, Consumer<IncomingIntent> act) {
        name = declaration.name;
        schema = declaration.schema();
        results = declaration.results.toArray(new String[0]);
        description = declaration.description;
        examples = List.copyOf(declaration.examples);
        for (JsonObject example : examples) {
            if (!takes(example)) {
                throw new IllegalArgumentException(name + ": an example does not fit the parameters: " + Parameters.of(example));
            }
        }
        agents = List.copyOf(declaration.agents);
        this.act = act;
    }

    /** Whether these are its parameters; null where none were given. */
    boolean takes(JsonObject parameters) {
        return Schema.fits(parameters == null ? new JsonObject() : parameters, schema);
    }

    /** Refuses a result that was not declared. */
    void check(Result result) {
        String kind = Declaration.kind(result.status(), result.reason());
        if (!ALWAYS.contains(kind) && !Set.of(results).contains(kind)) {
            throw new IllegalArgumentException(name + " was not declared to end as " + kind
                + ": declare that with canEnd, or report one of " + String.join(", ", results));
        }
    }

    /** Writes the declaration; what goes without saying is left out. */
    void write(JsonWriter out) {
        out.object().field("name", name);
        if (((JsonObject) schema.get("properties")).size() > 0) {
            JsonTree.write(out.key("parameters"), schema);
        }
        if (results.length > 1) {
            out.array("results");
            for (String kind : results) {
                out.value(kind);
            }
            out.end();
        }
        if (!description.isEmpty()) {
            out.field("description", description);
        }
        if (!examples.isEmpty()) {
            JsonTree.write(out.key("examples"), examples);
        }
        if (!agents.isEmpty()) {
            JsonTree.write(out.key("agents"), agents);
        }
        out.end();
    }
}
