package volition.executor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The part of JSON Schema in which the parameters of a declared intent are described: objects whose members are all named,
 * arrays of one kind of item, texts, integers, numbers and truth values, with limits. A default and examples bind nobody, but
 * have to fit. A schema is the object that was read.
 */
final class Schema {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    /** What every type may have. */
    private static final Set<String> EVERYWHERE = Set.of("type", "description", "default", "examples");
    /** The keywords of each type beside those. */
    private static final Map<String, Set<String>> KEYWORDS = Map.of(
        "boolean", Set.of(), "integer", Set.of("minimum", "maximum"), "number", Set.of("minimum", "maximum"),
        "string", Set.of("minLength", "maxLength", "enum"), "array", Set.of("items", "minItems", "maxItems"),
        "object", Set.of("properties", "required", "additionalProperties"));
    private static final Map<String, List<String>> NEEDED =
        Map.of("array", List.of("items"), "object", List.of("properties", "additionalProperties"));

    private Schema() {}

    /** The schema of an object without members. */
    static JsonObject empty() {
        JsonObject schema = new JsonObject();
        schema.add("type", "object");
        schema.add("properties", new JsonObject());
        schema.add("additionalProperties", Boolean.FALSE);
        return schema;
    }

    /** Everything that is wrong with the schema of an intent's parameters; empty where it is right. */
    static List<String> problems(JsonObject schema) {
        List<String> problems = new ArrayList<>();
        if (!"object".equals(schema.get("type"))) {
            problems.add("parameters: its type is object");
        }
        check(schema, "parameters", problems);
        if (problems.isEmpty()) {
            checkNamed(schema, "parameters", problems);
        }
        return problems;
    }

    /** The values that a schema names, here and below, have to fit; the schema is right otherwise. */
    private static void checkNamed(JsonObject schema, String where, List<String> problems) {
        if (schema.has("default") && !fits(schema.get("default"), schema)) {
            problems.add(where + ": the default does not fit");
        }
        if (schema.has("examples") && !((List<?>) schema.get("examples")).stream().allMatch(each -> fits(each, schema))) {
            problems.add(where + ": an example does not fit");
        }
        if (schema.has("items")) {
            checkNamed((JsonObject) schema.get("items"), where + ".items", problems);
        }
        if (schema.has("properties")) {
            JsonObject members = (JsonObject) schema.get("properties");
            for (int at = 0; at < members.size(); at++) {
                checkNamed((JsonObject) members.get(members.key(at)), where + ".properties." + members.key(at), problems);
            }
        }
    }

    private static void check(Object value, String where, List<String> problems) {
        JsonObject schema = value instanceof JsonObject ? (JsonObject) value : new JsonObject();
        Object type = schema.get("type");
        Set<String> keywords = type instanceof String ? KEYWORDS.get(type) : null;
        if (keywords == null) {
            problems.add(where + ": a schema has a type, one of boolean, integer, number, string, array, object");
            return;
        }
        for (String needed : NEEDED.getOrDefault(type, List.of())) {
            if (!schema.has(needed)) {
                problems.add(where + ": '" + needed + "' is missing");
            }
        }
        for (int at = 0; at < schema.size(); at++) {
            String key = schema.key(at);
            Object held = schema.get(key);
            boolean used = keywords.contains(key) || EVERYWHERE.contains(key);
            if (used && key.equals("items")) {
                check(held, where + ".items", problems);
            } else if (used && key.equals("properties") && held instanceof JsonObject) {
                checkMembers((JsonObject) held, where + ".properties", problems);
            } else if (!used || !isRight(key, held, schema)) {
                problems.add(where + ": '" + Frames.shown(key) + "' of " + type + " is wrong, or not in use");
            }
        }
    }

    private static void checkMembers(JsonObject members, String where, List<String> problems) {
        for (int at = 0; at < members.size(); at++) {
            String name = members.key(at);
            if (!NAME.matcher(name).matches()) {
                problems.add(where + ": '" + Frames.shown(name)
                    + "' is not a small letter and up to 63 small letters, digits and underscores");
            }
            check(members.get(name), where + "." + name, problems);
        }
    }

    private static boolean isRight(String key, Object value, JsonObject schema) {
        switch (key) {
            case "type":
            case "description":
                return value instanceof String;
            case "default":
                return true;
            case "examples":
                return value instanceof List;
            case "minimum":
            case "maximum":
                return value instanceof Long || (value instanceof Double && schema.get("type").equals("number"));
            case "enum":
                return areWords(value) && !((List<?>) value).isEmpty();
            case "required":
                return areWords(value) && areDescribed((List<?>) value, schema.get("properties"));
            case "additionalProperties":
                return value == Boolean.FALSE;
            case "properties":
                return false;
            default:
                return value instanceof Long && (Long) value >= 0;
        }
    }

    private static boolean areWords(Object value) {
        List<?> words = value instanceof List ? (List<?>) value : null;
        return words != null && new HashSet<>(words).size() == words.size()
            && words.stream().allMatch(word -> word instanceof String);
    }

    private static boolean areDescribed(List<?> names, Object members) {
        return members instanceof JsonObject && names.stream().allMatch(name -> ((JsonObject) members).has((String) name));
    }

    /** Whether a value that was read is what a right schema describes. */
    static boolean fits(Object value, JsonObject schema) {
        switch (schema.text("type")) {
            case "boolean":
                return value instanceof Boolean;
            case "integer":
                return value instanceof Long && isWithin((Long) value, schema, "minimum", "maximum");
            case "number":
                return value instanceof Number && isWithin(((Number) value).doubleValue(), schema, "minimum", "maximum");
            case "string":
                return value instanceof String && fits((String) value, schema);
            case "array":
                return value instanceof List && fits((List<?>) value, schema);
            default:
                return value instanceof JsonObject && fits((JsonObject) value, schema);
        }
    }

    private static boolean fits(String text, JsonObject schema) {
        return isWithin(text.codePointCount(0, text.length()), schema, "minLength", "maxLength")
            && (!schema.has("enum") || ((List<?>) schema.get("enum")).contains(text));
    }

    private static boolean fits(List<?> items, JsonObject schema) {
        return isWithin(items.size(), schema, "minItems", "maxItems")
            && items.stream().allMatch(item -> fits(item, (JsonObject) schema.get("items")));
    }

    private static boolean fits(JsonObject object, JsonObject schema) {
        JsonObject members = (JsonObject) schema.get("properties");
        for (int at = 0; at < object.size(); at++) {
            String name = object.key(at);
            if (!members.has(name) || !fits(object.get(name), (JsonObject) members.get(name))) {
                return false;
            }
        }
        List<?> required = schema.has("required") ? (List<?>) schema.get("required") : List.of();
        return required.stream().allMatch(name -> object.has((String) name));
    }

    /** All numbers that can be read are exact as doubles, so that they can be compared as such. */
    private static boolean isWithin(double number, JsonObject schema, String least, String most) {
        return (!schema.has(least) || number >= ((Number) schema.get(least)).doubleValue())
            && (!schema.has(most) || number <= ((Number) schema.get(most)).doubleValue());
    }
}
