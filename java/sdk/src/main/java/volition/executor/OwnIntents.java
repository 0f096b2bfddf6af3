package volition.executor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The intents that a game has declared, by name. Once a bridge has been told of them, they do not change. */
final class OwnIntents {
    private final Map<String, OwnIntent> declared = new LinkedHashMap<>();
    private boolean told;

    void add(Declaration declaration, Consumer<IncomingIntent> act) {
        if (told) {
            throw new IllegalStateException(
                declaration.name + " is declared too late: a bridge has been welcomed without it");
        }
        OwnIntent own = new OwnIntent(declaration, act);
        if (declared.putIfAbsent(own.name, own) != null) {
            throw new IllegalArgumentException(own.name + " is declared already");
        }
    }

    void remove(String name) {
        declared.remove(name);
    }

    /** The intent of that name; null where none was declared. */
    OwnIntent get(String name) {
        return declared.get(name);
    }

    /** A bridge is about to be told. */
    void settle() {
        told = true;
    }

    /** Writes the field of the welcome; nothing where nothing was declared. */
    void write(JsonWriter out) {
        if (!declared.isEmpty()) {
            out.array("declares");
            declared.values().forEach(own -> own.write(out));
            out.end();
        }
    }
}
