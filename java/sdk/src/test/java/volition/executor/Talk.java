package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A session on a clock that is moved by hand, with a game that notes what it is asked. */
final class Talk {
    static final long SECOND = 1_000_000_000L;
    static final String HELLO = "{\"v\":1,\"type\":\"hello\",\"spec\":\"1.0.0\","
        + "\"client\":{\"name\":\"t\",\"version\":\"0\"},"
        + "\"features\":[\"events\",\"next_state\",\"progress\",\"state_push\"]}";

    /** Attempts nothing by itself: the test says how each of them ends. */
    static class Game implements Executor {
        final List<IncomingIntent> stops = new ArrayList<>();
        final List<IncomingIntent> cancelled = new ArrayList<>();
        final List<String> lost = new ArrayList<>();
        final List<IncomingIntent> jumps = new ArrayList<>();
        About about = About.game("test", "1");
        RuntimeException thrown;
        Runnable onStop = () -> {};
        boolean describes = true;
        long tick;
        long episode;

        @Override
        public About about() {
            return about;
        }

        @Override
        public void jump(IncomingIntent attempt) {
            if (thrown != null) {
                throw thrown;
            }
            jumps.add(attempt);
        }

        @Override
        public void stop(IncomingIntent attempt) {
            stops.add(attempt);
            onStop.run();
            attempt.succeed();
        }

        @Override
        public void cancel(IncomingIntent attempt) {
            cancelled.add(attempt);
        }

        @Override
        public void describe(JsonWriter out, boolean full) {
            out.object().field("health", 10);
            if (describes) {
                out.end();
            }
        }

        @Override
        public long tick() {
            return tick;
        }

        @Override
        public long episode() {
            return episode;
        }

        @Override
        public void disconnected(String reason) {
            lost.add(reason);
        }
    }

    final Game game;
    final OwnIntents declared = new OwnIntents();
    final Session session;
    final Inbox inbox = new Inbox(() -> {});
    long now;

    Talk(Options options) {
        this(new Game(), options);
    }

    Talk(Game game, Options options) {
        this.game = game;
        inbox.own();
        session = new Session(game, declared, options, "s-1", () -> now, inbox, () -> {});
    }

    /** A session after its greeting. */
    static Talk open(Options options) {
        Talk talk = new Talk(options);
        talk.hear(HELLO);
        assertEquals(Session.Phase.OPEN, talk.session.phase);
        talk.said();
        return talk;
    }

    static Talk open() {
        return open(new Options());
    }

    static String intent(long id, String name, String more) {
        return "{\"v\":1,\"type\":\"intent\",\"id\":" + id + ",\"intent\":\"" + name + "\",\"ttl_ms\":1000" + more + "}";
    }

    static String intent(long id, String name) {
        return intent(id, name, "");
    }

    void hear(String... lines) {
        for (String line : lines) {
            hear((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    void hear(byte[] bytes) {
        session.receive(ByteBuffer.wrap(bytes), now);
    }

    /** The ids that are to be attempted, in their order. */
    List<IncomingIntent> taken() {
        List<IncomingIntent> taken = new ArrayList<>();
        for (IncomingIntent attempt = session.next(now); attempt != null; attempt = session.next(now)) {
            taken.add(attempt);
        }
        return taken;
    }

    static List<Long> ids(List<IncomingIntent> attempts) {
        return attempts.stream().map(IncomingIntent::id).collect(Collectors.toList());
    }

    /** The lines that were written since the last call. */
    List<String> said() {
        JsonWriter out = session.link.out;
        String text = new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
        out.drop(out.length());
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }

    /** What was written, each frame in a word: its type with what matters of it. */
    List<String> gist() {
        return said().stream().map(Talk::gist).collect(Collectors.toList());
    }

    static String gist(String line) {
        JsonObject frame = parse(line);
        String type = frame.text("type");
        if (type.equals("error") || type.equals("reject")) {
            return type + " " + frame.get("code");
        }
        if (!type.equals("result")) {
            return type + (frame.has("id") ? " " + frame.get("id") : "");
        }
        JsonObject result = (JsonObject) frame.get("result");
        String detail = frame.has("detail") ? " " + frame.get("detail") : "";
        return frame.get("id") + " " + result.get("status") + " " + result.get("failure_reason") + detail;
    }

    static JsonObject parse(String line) {
        try {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            JsonObject frame = new JsonReader().read(bytes, 0, bytes.length);
            Frames.check(frame);
            return frame;
        } catch (Fault fault) {
            throw new AssertionError(fault.code + ": " + fault.getMessage() + " in " + line);
        }
    }
}
