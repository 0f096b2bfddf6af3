package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The vectors of declared.json: what may be declared, which parameters fit, and conversations with such a game. */
class DeclaredTest {
    @TempDir Path folder;

    /** The game of the vectors. */
    private static final class Quarry extends Talk.Game implements Resettable {
        final List<Object> begun = new ArrayList<>();
        long dug;
        long seed;

        Quarry() {
            about.without(Intent.PRIMARY_ATTACK, Intent.EVADE, Intent.MOVE, Intent.HOLD, Intent.RELEASE, Intent.JUMP);
        }

        void dig(IncomingIntent attempt) {
            begun.add(attempt.id());
            if (attempt.parameters().integers("at")[0] == 0) {
                attempt.fail(Reason.BLOCKED);
                return;
            }
            dug++;
            attempt.succeed();
        }

        void listen(IncomingIntent attempt) {
            begun.add(attempt.id());
        }

        @Override
        public void stop(IncomingIntent attempt) {
            begun.add(attempt.id());
            attempt.succeed();
        }

        @Override
        public void cancel(IncomingIntent attempt) {
            attempt.finish(Result.partial(Reason.NONE));
        }

        @Override
        public void describe(JsonWriter out, boolean full) {
            out.object().field("dug", dug).field("seed", seed).end();
        }

        @Override
        public void reset(long seed) {
            this.seed = seed;
            dug = 0;
            episode++;
        }
    }

    private static JsonObject vectors() throws IOException, Fault {
        byte[] file = Shared.read("volition.declared", "../protocol/declared.json");
        return new JsonReader().read(file, 0, file.length);
    }

    private static String json(Object value) {
        JsonWriter out = new JsonWriter();
        JsonTree.write(out, value);
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }

    @Test
    void namesAndResults() throws IOException, Fault {
        JsonObject names = (JsonObject) vectors().get("names");
        for (Object name : (List<?>) names.get("right")) {
            assertEquals(name, Declaration.of((String) name).name);
        }
        for (Object name : (List<?>) names.get("wrong")) {
            assertThrows(IllegalArgumentException.class, () -> Declaration.of((String) name), (String) name);
        }
        JsonObject results = (JsonObject) vectors().get("results");
        assertTrue(Declaration.KINDS.containsAll((List<?>) results.get("right")));
        ((List<?>) results.get("wrong")).forEach(kind -> assertTrue(!Declaration.KINDS.contains(kind), (String) kind));
    }

    @TestFactory
    List<DynamicTest> everySchema() throws IOException, Fault {
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) vectors().get("schemas")) {
            JsonObject one = (JsonObject) each;
            tests.add(DynamicTest.dynamicTest(one.text("name"), () -> {
                OwnIntent own = new OwnIntent(Declaration.of("ACT").parameters(json(one.get("schema"))), attempt -> {});
                for (Object given : (List<?>) one.get("fits")) {
                    assertTrue(own.takes((JsonObject) given), json(given));
                }
                for (Object given : (List<?>) one.get("misfits")) {
                    assertTrue(!own.takes((JsonObject) given), json(given));
                }
            }));
        }
        for (Object each : (List<?>) vectors().get("wrong schemas")) {
            JsonObject one = (JsonObject) each;
            Declaration wrong = Declaration.of("ACT").parameters(json(one.get("schema")));
            tests.add(DynamicTest.dynamicTest(
                one.text("name"), () -> assertThrows(IllegalArgumentException.class, wrong::schema)));
        }
        assertTrue(tests.size() >= 60, "the schemas are there");
        return tests;
    }

    @TestFactory
    List<DynamicTest> everyConversation() throws IOException, Fault {
        JsonObject vectors = vectors();
        List<?> declares = (List<?>) vectors.get("declares");
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) vectors.get("conversations")) {
            JsonObject one = (JsonObject) each;
            Path memory = folder.resolve("requests-" + tests.size());
            tests.add(
                DynamicTest.dynamicTest(one.text("name"), () -> hold((List<?>) one.get("steps"), declares, memory)));
        }
        assertTrue(tests.size() >= 25, "the conversations are there");
        return tests;
    }

    private static void hold(List<?> steps, List<?> declares, Path file) throws IOException {
        Quarry game = new Quarry();
        try (RequestMemory memory = new RequestMemory(file)) {
            Talk talk = null;
            for (Object each : steps) {
                JsonObject step = (JsonObject) each;
                game.begun.clear();
                switch (step.text("do")) {
                    case "greet":
                        talk = greeted(game, declares, memory, step.text("line"));
                        break;
                    case "write":
                        talk.hear(((List<?>) step.get("lines")).stream()
                            .map(line -> line + "\n").collect(Collectors.joining()).getBytes(StandardCharsets.UTF_8));
                        talk.session.work(talk.now);
                        break;
                    case "wait":
                        talk.now += step.integer("ms", 0) * 1_000_000;
                        talk.session.poll(talk.now);
                        break;
                    default:
                        talk.session.end(false);
                        talk.said();
                        game.begun.clear();
                }
                assertEquals(step.has("attempts") ? step.get("attempts") : List.of(), game.begun);
                List<?> answers = step.has("answers") ? (List<?>) step.get("answers") : List.of();
                assertEquals(inParts(answers), inParts(talk.said().stream().map(DeclaredTest::said).collect(
                    Collectors.toList())));
            }
        }
    }

    private static Talk greeted(Quarry game, List<?> declares, RequestMemory memory, String line) {
        Talk talk = new Talk(game, new Options().requests(memory));
        for (Object each : declares) {
            JsonObject one = (JsonObject) each;
            Declaration declaration = Declaration.of(one.text("name"));
            if (one.has("parameters")) {
                declaration.parameters(json(one.get("parameters")));
                declaration.canEnd(Status.FAILURE, Reason.BLOCKED).describedAs(one.text("description"));
            }
            talk.declared.add(declaration, one.has("parameters") ? game::dig : game::listen);
        }
        talk.hear(line);
        JsonObject welcome = Talk.parse(talk.said().get(0));
        assertEquals(json(declares), json(welcome.get("declares")), "the welcome has the declarations as they are");
        return talk;
    }

    /** A line as the vectors write it. */
    private static List<?> said(String line) {
        JsonObject frame = Talk.parse(line);
        switch (frame.text("type")) {
            case "result":
                JsonObject result = (JsonObject) frame.get("result");
                return Arrays.asList(
                    frame.get("id"), frame.get("intent"), result.get("status"), result.get("failure_reason"),
                    frame.get("detail"));
            case "state":
                return Arrays.asList("state", frame.get("id"), frame.get("data"));
            case "progress":
                return Arrays.asList("progress", frame.get("id"), frame.get("stage"));
            case "pong":
                return Arrays.asList("pong", frame.get("open"));
            default:
                return Arrays.asList(frame.get("type"), frame.get("code"), frame.get("id"));
        }
    }

    /** The answers before, between and after the states, each part in one order, and each state as a part. */
    private static List<List<String>> inParts(List<?> answers) {
        List<List<String>> parts = new ArrayList<>(List.of(new ArrayList<>()));
        for (Object answer : answers) {
            String text = json(answer);
            if (text.startsWith("[\"state\"")) {
                parts.add(new ArrayList<>(List.of(text)));
                parts.add(new ArrayList<>());
            } else {
                parts.get(parts.size() - 1).add(text);
            }
        }
        parts.forEach(part -> part.sort(null));
        return parts;
    }
}
