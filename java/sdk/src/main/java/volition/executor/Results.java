package volition.executor;

import java.io.UncheckedIOException;
import java.util.function.Consumer;

/**
 * Writes what the game reports: results, with the state after them where requested, states and events. It keeps the
 * results for repeated ids, and knows which states belong to the current episode.
 */
final class Results {
    private final Link link;
    private final Executor game;
    private final Options options;
    private final ResultCache cache;
    private final Actors actors;
    private long shown;

    Results(Link link, Executor game, Options options) {
        this.link = link;
        this.game = game;
        this.options = options;
        actors = new Actors(game);
        cache = new ResultCache(options.resultCache);
    }

    /** Sends the result of an attempt of the game's; {@code measuredMs} is used where the game gives no time. */
    void send(IncomingIntent attempt, Result result, double measuredMs, boolean withState) {
        write(attempt.id(), attempt.name(), attempt.agent(), result, result.note(), measuredMs, withState);
    }

    /**
     * Sends the result of an attempt that the game began; for a request, it is remembered first, as it is sent. Returns what
     * was sent.
     */
    Result end(IncomingIntent attempt, Result result, double measuredMs, boolean withState) {
        if (attempt.mark == null) {
            send(attempt, result, measuredMs, withState);
            return result;
        }
        Result whole = completed(result, attempt.agent(), measuredMs);
        try {
            options.requests.finish(attempt.mark, whole);
        } catch (UncheckedIOException full) {
            // After a restart nobody would know it, so nobody is told.
            options.trouble.accept(full);
            Result unknown = Result.failure(Reason.UNKNOWN).because(RequestMemory.NOT_REMEMBERED);
            whole = completed(unknown, attempt.agent(), measuredMs);
        }
        send(attempt, whole, measuredMs, withState);
        return whole;
    }

    /** A result with everything that the game did not say. */
    private Result completed(Result result, String agent, double measuredMs) {
        return new Result(
            result.status(), result.reason(), result.outOfPlace(), result.damageDealt(), result.damageReceived(),
            result.actionWasted(), result.alive() == null ? Boolean.valueOf(actors.isAlive(agent)) : result.alive(),
            result.timestamp() == null ? Long.valueOf(game.timestamp()) : result.timestamp(),
            result.tookMs() == null ? Double.valueOf(measuredMs) : result.tookMs(), result.note());
    }

    /** Sends a result that the session makes by itself: nothing was attempted. */
    void own(IncomingIntent attempt, Result result, String detail) {
        write(attempt.id(), attempt.name(), attempt.agent(), result, detail, 0, false);
    }

    /** The same for what is not an intent of this game. */
    void unread(long id, String intent, String agent, String detail) {
        write(id, intent, agent, Result.failure(Reason.UNKNOWN), detail, 0, false);
    }

    /** Sends a result again; false where the id is not remembered. */
    boolean repeat(long id) {
        return cache.repeat(id, link);
    }

    /** Shows a state, of one actor or of the world: in answer to a request, or without one where {@code request} is 0. */
    void state(long request, boolean full, String agent) {
        JsonWriter out = link.begin("state");
        if (request > 0) {
            out.field("id", request);
        }
        if (!described(out, full, agent)) {
            link.abandon();
        } else if (!link.send()) {
            trouble("the state is longer than a frame of " + link.maxFrame + " bytes");
        }
    }

    /** Answers a probe with the truth about the world; nothing is sent where the game cannot express it. */
    void sight(long request) {
        int start = link.out.length();
        JsonWriter out = link.begin("probe.sight").field("id", request);
        try {
            options.probe.write(out);
            if (!out.settled(1)) {
                throw new IllegalStateException("a probe writes complete fields, and ends everything that it begins");
            }
        } catch (RuntimeException trouble) {
            link.abandon();
            options.trouble.accept(trouble);
            return;
        }
        if (!link.send()) {
            trouble("the sight is longer than a frame of " + link.maxFrame + " bytes");
            return;
        }
        try {
            Frames.check(new JsonReader().read(out.bytes(), start, out.length() - 1));
        } catch (Fault fault) {
            out.rewind(start);
            trouble(fault.getMessage());
        }
    }

    /** Sends an event; {@code id} is that of the intent it belongs to, or 0, and {@code agent} the actor's name, or null. */
    void event(String name, long id, String agent, Consumer<JsonWriter> data) {
        JsonWriter out = link.begin("event").field("name", name).field("tick", game.tick());
        if (id > 0) {
            out.field("id", id);
        }
        if (agent != null) {
            out.field("agent", agent);
        }
        if (data != null) {
            out.key("data");
            try {
                data.accept(out);
            } catch (RuntimeException trouble) {
                link.abandon();
                throw trouble;
            }
        }
        if (!out.settled(1)) {
            link.abandon();
            throw new IllegalStateException("an event's data is one JSON value");
        }
        if (!link.send()) {
            throw new IllegalStateException("the event is longer than a frame of " + link.maxFrame + " bytes");
        }
    }

    /** Why an intent does not fit this world: it names nobody, or a state that is out of date; null where it fits. */
    String outOfSync(IncomingIntent attempt) {
        long basedOn = attempt.basedOn();
        if (!actors.knows(attempt.agent())) {
            return "NO_SUCH_AGENT";
        }
        if (basedOn < 0) {
            return null;
        }
        if (basedOn > shown || shown == 0) {
            return "NO_SUCH_STATE";
        }
        return actors.isFormer(basedOn, attempt.agent()) ? "FORMER_EPISODE" : null;
    }

    private void write(
        long id, String intent, String agent, Result result, String detail, double measuredMs, boolean withState) {
        if (link.closed) {
            return;
        }
        int start = link.out.length();
        JsonWriter out = link.begin("result").field("id", id).field("intent", intent);
        try {
            payload(out, result, agent, measuredMs);
        } catch (RuntimeException trouble) {
            link.abandon();
            throw trouble;
        }
        if (detail != null) {
            out.field("detail", detail);
        }
        int before = out.length();
        if (withState) {
            out.object("next_state").field("type", "state");
            if (described(out, false, agent)) {
                out.end();
            } else {
                out.rewindInto(before, 1);
            }
        }
        if (link.send()) {
            cache.put(id, out.bytes(), start, out.length());
        } else if (withState) {
            trouble("the state is longer than a frame of " + link.maxFrame + " bytes");
            write(id, intent, agent, result, detail, measuredMs, false);
        }
    }

    private void payload(JsonWriter out, Result result, String agent, double measuredMs) {
        Reason reason = result.reason();
        out.object("result")
            .field("status", result.status().name())
            .field("failure_reason", reason.name())
            .field("partial_execution", result.status() == Status.PARTIAL);
        out.object("safety_flags")
            .field("is_blocked", reason == Reason.BLOCKED)
            .field("on_cooldown", reason == Reason.COOLDOWN)
            .field("invalid_environment", result.outOfPlace())
            .end();
        out.object("outcomes")
            .field("damage_dealt", result.damageDealt())
            .field("damage_received", result.damageReceived())
            .field("is_alive", result.alive() == null ? actors.isAlive(agent) : result.alive())
            .field("action_wasted", result.actionWasted())
            .end();
        out.object("metadata")
            .field("engine_timestamp", result.timestamp() == null ? game.timestamp() : result.timestamp())
            .field("execution_time_ms", result.tookMs() == null ? measuredMs : result.tookMs())
            .end();
        out.end();
    }

    /** Writes the fields of a state into the object that is open; false, and the rest undone, where the game cannot. */
    private boolean described(JsonWriter out, boolean full, String agent) {
        int depth = out.depth();
        try {
            long seq = shown + 1;
            if (actors.named(agent) != null) {
                out.field("agent", agent);
            }
            out.field("seq", seq).field("tick", game.tick()).field("episode", actors.episode(agent)).field("full", full);
            actors.describe(out.key("data"), full, agent);
            if (!out.settled(depth)) {
                throw new IllegalStateException("describe() writes one JSON value, and ends everything that it begins");
            }
            shown = seq;
            actors.note(seq, agent);
            return true;
        } catch (RuntimeException trouble) {
            options.trouble.accept(trouble);
            return false;
        }
    }

    private void trouble(String what) {
        options.trouble.accept(new IllegalStateException(what));
    }
}
