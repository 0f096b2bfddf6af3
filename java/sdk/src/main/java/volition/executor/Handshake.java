package volition.executor;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/** The executor's answer to a greeting: a welcome with the features that both sides have, or why there is none. */
final class Handshake {
    /** Why a bridge is refused, with the code for the wire. */
    static final class Rejection {
        final String code;
        final String message;

        Rejection(String code, String message) {
            this.code = code;
            this.message = message;
        }
    }

    /** The feature of a bridge that observes without driving: it is welcome beside the driver. */
    static final String OBSERVE = "observe";
    /** The feature of a test that asks for the truth about the world. */
    static final String PROBE = "probe";
    /** The feature of an executor that remembers requests. */
    static final String REQUESTS = "requests";
    /** The feature of a game that can begin again. */
    static final String RESET = "reset";

    private Handshake() {}

    /**
     * Why this greeting is refused; null where it is not. The checks are in the order of the contract. {@code shared}
     * are the features that both sides have, {@code taken} says that another bridge drives.
     */
    static Rejection refusal(JsonObject hello, About about, String token, List<String> shared, boolean taken) {
        String spec = hello.text("spec");
        if (!major(spec).equals(major(Frames.SPEC))) {
            return new Rejection("version", "the bridge speaks " + spec);
        }
        if (!sameToken(token, hello.text("token"))) {
            return new Rejection("token", "the token does not fit");
        }
        JsonObject wanted = (JsonObject) hello.get("state_schema");
        if (wanted != null && !about.schemaHash.equals(wanted.get("hash"))) {
            return new Rejection("schema", "the states are " + schema(about.schemaName, about.schemaVersion, about.schemaHash)
                + ", the bridge reads " + schema(wanted.text("name"), wanted.text("version"), wanted.text("hash")));
        }
        boolean driven = taken && !shared.contains(OBSERVE);
        return driven ? new Rejection("not_ready", "another bridge drives it") : null;
    }

    /** The features that this side has and the bridge wants, in this side's order. */
    static List<String> shared(JsonObject hello, Executor game, About about, Options options) {
        List<String> shared = features(game, about, options);
        Object wanted = hello.get("features");
        shared.retainAll(wanted == null ? List.of() : (List<?>) wanted);
        return shared;
    }

    private static List<String> features(Executor game, About about, Options options) {
        List<String> features = new ArrayList<>(about.features);
        features.add(OBSERVE);
        if (options.probe != null) {
            features.add(PROBE);
        }
        if (options.requests != null) {
            features.add(REQUESTS);
        }
        if (game instanceof Resettable) {
            features.add(RESET);
        }
        return features;
    }

    /** Whether a welcome with these declarations is a line that can be sent; IllegalArgumentException where not. */
    static void tryWelcome(Executor game, OwnIntents declared, Options options) {
        About about = game.about();
        Link nobody = new Link(options, 0);
        boolean sent;
        try {
            sent = welcome(nobody, game, about, declared, options, "s-" + Long.MAX_VALUE, features(game, about, options));
        } catch (IllegalStateException unsayable) {
            throw new IllegalArgumentException(unsayable.getMessage(), unsayable);
        }
        if (!sent) {
            throw new IllegalArgumentException("the welcome is longer than a frame of " + options.maxFrame + " bytes");
        }
    }

    static void reject(Link link, Rejection rejection) {
        link.begin("reject")
            .field("code", rejection.code)
            .field("message", rejection.message)
            .field("supported", Frames.SPEC);
        link.send();
    }

    /** False, and nothing sent, where it is too long. */
    static boolean welcome(
        Link link, Executor game, About about, OwnIntents declared, Options options, String session,
        List<String> features) {
        JsonWriter out = link.begin("welcome").field("spec", Frames.SPEC).field("session", session);
        out.object("executor").field("name", about.name).field("version", about.version).end();
        out.field("engine", about.engine).field("tick_hz", about.tickHz);
        out.object("clock").field("unit", about.clockUnit).field("epoch", about.clockEpoch).end();
        out.array("intents");
        for (Intent intent : about.intents) {
            out.value(intent.name());
        }
        out.end();
        out.field("hold_supported", about.intents.contains(Intent.HOLD)).field("double_jump", about.doubleJump);
        out.field("move_frame", about.absolute ? "absolute" : "relative");
        out.object("state_schema")
            .field("name", about.schemaName)
            .field("version", about.schemaVersion)
            .field("hash", about.schemaHash);
        places(out, about);
        out.end();
        out.object("limits")
            .field("max_frame", options.maxFrame)
            .field("max_inflight", options.maxInflight)
            .field("result_cache", options.resultCache)
            .end();
        out.array("features");
        features.forEach(out::value);
        out.end();
        declared.write(out);
        if (game instanceof Resettable && ((Resettable) game).isDeterministic()) {
            out.field("deterministic", true);
        }
        return link.send();
    }

    /** How places are told, where the game says so; what is 0 is left out. */
    private static void places(JsonWriter out, About about) {
        if (about.unit == null) {
            return;
        }
        out.object("places").field("unit", about.unit).field("up", about.up).field("handed", about.handed);
        if (about.tolerance > 0) {
            out.field("tolerance", about.tolerance);
        }
        if (about.coastMs > 0) {
            out.field("coast_ms", about.coastMs);
        }
        out.end();
    }

    /** Whether the token matches, compared in constant time. */
    private static boolean sameToken(String wanted, String given) {
        if (wanted == null) {
            return true;
        }
        String said = given == null ? "" : given;
        return MessageDigest.isEqual(wanted.getBytes(StandardCharsets.UTF_8), said.getBytes(StandardCharsets.UTF_8));
    }

    /** A schema as text that differs where the schemas do: name and version may be the same. */
    private static String schema(String name, String version, String hash) {
        String mark = hash.length() > 12 ? hash.substring(0, 12) + "..." : hash;
        return Frames.shown(name) + " " + Frames.shown(version) + " (hash " + mark + ")";
    }

    private static String major(String spec) {
        return spec.substring(0, spec.indexOf('.'));
    }
}
