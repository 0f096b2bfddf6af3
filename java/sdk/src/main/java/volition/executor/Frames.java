package volition.executor;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The seventeen types of frames and the fields of each, as a table. A line that passes {@link #check} has a known type and
 * every field it needs, of the right kind; unknown fields are ignored.
 */
final class Frames {
    /** The version of the contract that this side speaks: the major part must match. */
    static final String SPEC = "1.0.0";
    /** How long a line may be, without its end. */
    static final int MAX_FRAME = 1 << 20;

    private static final Pattern SEMVER = Pattern.compile("(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)");
    static final int LONGEST_TTL = 3_600_000;
    /** How long, in milliseconds, an actor may coast. */
    static final int LONGEST_COAST = 5_000;

    private static final class Field {
        final String name;
        final Kind kind;
        final boolean needed;

        Field(String name, Kind kind, boolean needed) {
            this.name = name;
            this.kind = kind;
            this.needed = needed;
        }
    }

    private enum Kind {
        ANY, BOOLEAN, TEXT, WORDS, NAME, SEMVER, ID, COUNT, TTL, NUMBER, SHARE, SPEED, TEXTS, IDS, VECTOR, VECTORS,
        OBJECT, FENCES, PARTY, SCHEMA, PLACES, UNIT, AXIS, HAND, TOLERANCE, COAST, CLOCK, LIMITS, STATE, STAGE, MOVE_FRAME, REJECTION, DECLARED, DECLARES, ENDINGS, OBJECTS, NAMES
    }

    private static final Set<Kind> NEVER_NULL =
        EnumSet.of(
        Kind.BOOLEAN, Kind.WORDS, Kind.TEXTS, Kind.IDS, Kind.VECTORS, Kind.OBJECT, Kind.FENCES, Kind.SPEED, Kind.DECLARES,
        Kind.ENDINGS, Kind.OBJECTS, Kind.NAMES, Kind.TOLERANCE, Kind.COAST);
    private static final List<Field> PARTY = List.of(needs("name", Kind.NAME), needs("version", Kind.TEXT));
    private static final List<Field> SCHEMA = List.of(
        needs("name", Kind.NAME), needs("version", Kind.TEXT), needs("hash", Kind.NAME), may("places", Kind.PLACES));
    private static final List<Field> PLACES = List.of(
        needs("unit", Kind.UNIT), needs("up", Kind.AXIS), needs("handed", Kind.HAND), may("tolerance", Kind.TOLERANCE),
        may("coast_ms", Kind.COAST));
    private static final List<Field> DECLARED = List.of(
        needs("name", Kind.WORDS), may("parameters", Kind.OBJECT), may("results", Kind.ENDINGS),
        may("description", Kind.WORDS), may("examples", Kind.OBJECTS), may("agents", Kind.NAMES));
    private static final List<Field> STATE = List.of(
        needs("seq", Kind.COUNT), needs("tick", Kind.COUNT), needs("episode", Kind.COUNT), needs("full", Kind.BOOLEAN),
        needs("data", Kind.ANY), may("id", Kind.ID), may("agent", Kind.NAME));

    private static final Map<String, List<Field>> TYPES = Map.ofEntries(
        Map.entry("hello", List.of(
            needs("spec", Kind.SEMVER), needs("client", Kind.PARTY), may("features", Kind.TEXTS),
            may("state_schema", Kind.SCHEMA), may("token", Kind.TEXT), may("fences", Kind.FENCES))),
        Map.entry("welcome", List.of(
            needs("spec", Kind.SEMVER), needs("session", Kind.NAME), needs("executor", Kind.PARTY),
            needs("engine", Kind.TEXT), needs("tick_hz", Kind.SPEED), needs("clock", Kind.CLOCK),
            needs("intents", Kind.TEXTS), needs("hold_supported", Kind.BOOLEAN), needs("double_jump", Kind.BOOLEAN),
            needs("move_frame", Kind.MOVE_FRAME), needs("state_schema", Kind.SCHEMA), needs("limits", Kind.LIMITS),
            may("features", Kind.TEXTS), may("declares", Kind.DECLARES), may("deterministic", Kind.BOOLEAN))),
        Map.entry("reject", List.of(
            needs("code", Kind.REJECTION), needs("message", Kind.TEXT), needs("supported", Kind.SEMVER))),
        Map.entry("intent", List.of(
            needs("id", Kind.ID), needs("intent", Kind.NAME), needs("ttl_ms", Kind.TTL), may("parameters", Kind.OBJECT),
            may("based_on", Kind.COUNT), may("agent", Kind.NAME), may("request", Kind.NAME), may("digest", Kind.NAME),
            may("token", Kind.COUNT), may("resource", Kind.NAME))),
        Map.entry("state", STATE),
        Map.entry("result", List.of(
            needs("id", Kind.ID), may("intent", Kind.WORDS), may("result", Kind.ANY), may("detail", Kind.TEXT),
            may("next_state", Kind.STATE))),
        Map.entry("progress", List.of(needs("id", Kind.ID), needs("stage", Kind.STAGE), may("done", Kind.SHARE))),
        Map.entry("cancel", List.of(needs("id", Kind.ID))),
        Map.entry("state_request", List.of(needs("id", Kind.ID), needs("full", Kind.BOOLEAN), may("agent", Kind.NAME))),
        Map.entry("reset", List.of(needs("id", Kind.ID), needs("seed", Kind.COUNT))),
        Map.entry("event", List.of(
            needs("name", Kind.NAME), needs("tick", Kind.COUNT), may("data", Kind.ANY), may("id", Kind.ID),
            may("agent", Kind.NAME))),
        Map.entry("ping", List.of(needs("n", Kind.COUNT))),
        Map.entry("pong", List.of(needs("n", Kind.COUNT), may("tick", Kind.COUNT), may("open", Kind.IDS))),
        Map.entry("error", List.of(needs("code", Kind.NAME), needs("message", Kind.TEXT), may("id", Kind.ID))),
        Map.entry("goodbye", List.of(may("reason", Kind.WORDS))),
        Map.entry("probe.read", List.of(needs("id", Kind.ID))),
        Map.entry("probe.sight", List.of(
            needs("id", Kind.ID), needs("sight", Kind.OBJECT), may("ways", Kind.VECTORS), may("obstructed", Kind.VECTORS),
            may("to_target", Kind.VECTOR), may("to_harm", Kind.VECTOR), may("face_target", Kind.VECTOR),
            may("face_away", Kind.VECTOR), may("precision", Kind.SPEED))));

    private Frames() {}

    /** The type of a valid frame; a {@link Fault} where it breaks a rule. */
    static String check(JsonObject frame) throws Fault {
        Object version = frame.get("v");
        if (!(version instanceof Long) || (Long) version != 1) {
            throw new Fault(Fault.Code.BAD_VERSION, "the version of the wire is " + shown(version));
        }
        Object type = frame.get("type");
        List<Field> fields = type instanceof String ? TYPES.get(type) : null;
        if (fields == null) {
            throw new Fault(Fault.Code.UNKNOWN_TYPE, shown(type) + " is not a type of frame");
        }
        String wrong = wrong(frame, fields);
        if (wrong != null) {
            throw new Fault(Fault.Code.BAD_FIELD, type + ": " + wrong);
        }
        return (String) type;
    }

    /** A value of any kind as short text for a message. */
    static String shown(Object value) {
        String text = value instanceof JsonObject ? "an object" : value instanceof List ? "an array" : String.valueOf(value);
        if (text.length() <= 80) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(79)) ? 79 : 80) + "...";
    }

    private static Field needs(String name, Kind kind) {
        return new Field(name, kind, true);
    }

    private static Field may(String name, Kind kind) {
        return new Field(name, kind, false);
    }

    private static String wrong(JsonObject object, List<Field> fields) {
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            Object value = object.get(field.name);
            if (value == null) {
                boolean absent = !object.has(field.name);
                boolean optional = !field.needed && (absent || nullable(field.kind));
                if (!optional && (absent || field.kind != Kind.ANY)) {
                    return absent ? "the field '" + field.name + "' is missing" : "the field '" + field.name + "' is null";
                }
            } else if (!fits(value, field.kind)) {
                return "the field '" + field.name + "' holds " + shown(value);
            }
        }
        return null;
    }

    /** Whether a field of this kind that may be left out may also be null: the others are empty instead, or missing. */
    private static boolean nullable(Kind kind) {
        return !NEVER_NULL.contains(kind);
    }

    private static boolean fits(Object value, Kind kind) {
        switch (kind) {
            case ANY:
                return true;
            case BOOLEAN:
                return value instanceof Boolean;
            case TEXT:
            case WORDS:
            case NAME:
            case SEMVER:
                return value instanceof String && fits((String) value, kind);
            case ID:
                return within(value, 1, JsonReader.MAX_INTEGER);
            case COUNT:
                return within(value, 0, JsonReader.MAX_INTEGER);
            case TTL:
                return within(value, 1, LONGEST_TTL);
            case COAST:
                return within(value, 0, LONGEST_COAST);
            case NUMBER:
                return value instanceof Number;
            case SHARE:
            case TOLERANCE:
                return value instanceof Number && ((Number) value).doubleValue() >= 0 && ((Number) value).doubleValue() <= 1;
            case SPEED:
                return value instanceof Number && ((Number) value).doubleValue() >= 0;
            case TEXTS:
                return value instanceof List && all((List<?>) value, Kind.TEXT);
            case IDS:
                return value instanceof List && all((List<?>) value, Kind.ID);
            case DECLARES:
                return value instanceof List && all((List<?>) value, Kind.DECLARED);
            case ENDINGS:
                return value instanceof List && Declaration.KINDS.containsAll((List<?>) value);
            case OBJECTS:
                return value instanceof List && all((List<?>) value, Kind.OBJECT);
            case NAMES:
                return value instanceof List && all((List<?>) value, Kind.NAME);
            case VECTOR:
                return value instanceof List && ((List<?>) value).size() == 3 && all((List<?>) value, Kind.NUMBER);
            case VECTORS:
                return value instanceof List && all((List<?>) value, Kind.VECTOR);
            case STAGE:
                return isOneOf(value, "started", "moving", "cancelling");
            case MOVE_FRAME:
                return isOneOf(value, "relative", "absolute");
            case UNIT:
                return isOneOf(value, "metre", "tile");
            case AXIS:
                return isOneOf(value, "x", "y", "z");
            case HAND:
                return isOneOf(value, "right", "left");
            case REJECTION:
                return isOneOf(value, "version", "token", "schema", "not_ready");
            default:
                return value instanceof JsonObject && fits((JsonObject) value, kind);
        }
    }

    private static boolean fits(String text, Kind kind) {
        switch (kind) {
            case NAME:
                return !text.isEmpty() && (text.length() <= 200 || points(text) <= 200);
            case SEMVER:
                return text.length() <= 64 && SEMVER.matcher(text).matches();
            default:
                return true;
        }
    }

    private static boolean fits(JsonObject object, Kind kind) {
        switch (kind) {
            case PARTY:
                return wrong(object, PARTY) == null;
            case SCHEMA:
                return wrong(object, SCHEMA) == null;
            case PLACES:
                return wrong(object, PLACES) == null;
            case STATE:
                return isState(object) && wrong(object, STATE) == null;
            case DECLARED:
                return wrong(object, DECLARED) == null && Declaration.isName(object.text("name"));
            case FENCES:
                return areFences(object);
            case CLOCK:
                return isClock(object);
            case LIMITS:
                return areLimits(object);
            default:
                return true;
        }
    }

    /** Whether a text is a name: of an agent, say. */
    static boolean isName(String text) {
        return fits(text, Kind.NAME);
    }

    private static int points(String text) {
        return text.codePointCount(0, text.length());
    }

    private static boolean all(List<?> list, Kind kind) {
        for (Object value : list) {
            if (value == null || !fits(value, kind)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isState(JsonObject object) {
        return !object.has("type") || "state".equals(object.get("type"));
    }

    private static boolean areFences(JsonObject object) {
        for (int at = 0; at < object.size(); at++) {
            if (!fits(object.key(at), Kind.NAME) || !within(object.get(object.key(at)), 0, JsonReader.MAX_INTEGER)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isClock(JsonObject object) {
        return isOneOf(object.get("unit"), "ns", "us", "ms", "s", "tick")
            && isOneOf(object.get("epoch"), "unix", "engine_start", "episode_start");
    }

    private static boolean areLimits(JsonObject object) {
        return within(object, "max_frame", 1024, 1 << 26) && within(object, "max_inflight", 1, 4096)
            && within(object, "result_cache", 1, 1 << 20);
    }

    private static boolean within(JsonObject object, String name, long least, long most) {
        return !object.has(name) || within(object.get(name), least, most);
    }

    private static boolean within(Object value, long least, long most) {
        return value instanceof Long && (Long) value >= least && (Long) value <= most;
    }

    private static boolean isOneOf(Object value, String... words) {
        for (String word : words) {
            if (word.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
