package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The conversations of requests.json: every answer is the one of the vectors, and nothing is attempted that may not be. */
class RequestsTest {
    @TempDir Path folder;

    @TestFactory
    List<DynamicTest> everyConversation() throws IOException, Fault {
        byte[] file = Shared.read("volition.requests", "../protocol/requests.json");
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) new JsonReader().read(file, 0, file.length).get("conversations")) {
            JsonObject one = (JsonObject) each;
            Path memory = folder.resolve("requests-" + tests.size());
            tests.add(DynamicTest.dynamicTest(one.text("name"), () -> hold((List<?>) one.get("steps"), memory)));
        }
        assertTrue(tests.size() >= 30, "the conversations are there");
        return tests;
    }

    private static void hold(List<?> steps, Path file) throws IOException {
        RequestMemory memory = new RequestMemory(file);
        Conversation held = new Conversation();
        for (Object each : steps) {
            JsonObject step = (JsonObject) each;
            switch (step.text("do")) {
                case "greet":
                    held.greet(step, memory);
                    break;
                case "hang up":
                    held.talk.session.end(false);
                    break;
                case "restart":
                    memory.close();
                    memory = new RequestMemory(file);
                    break;
                default:
                    held.take(step);
            }
        }
        memory.close();
    }

    /** One conversation: what the game has not ended, and the result that each request had. */
    private static final class Conversation {
        private final Map<Long, String> requests = new HashMap<>();
        private final Map<String, String> known = new HashMap<>();
        private final List<IncomingIntent> open = new ArrayList<>();
        private Talk talk;

        void greet(JsonObject step, RequestMemory memory) {
            talk = new Talk(new Options().requests(memory));
            talk.hear(step.text("line"));
            assertEquals(Session.Phase.OPEN, talk.session.phase);
            talk.said();
        }

        void take(JsonObject step) {
            int given = talk.game.cancelled.size();
            switch (step.text("do")) {
                case "ask":
                    ask(step);
                    break;
                case "cancel":
                    talk.hear(step.text("line"));
                    assertEquals(step.integer("gives up", 0), talk.game.cancelled.get(given).id());
                    given++;
                    break;
                case "end":
                    end(open.remove(0), step.text("game"));
                    break;
                default:
                    talk.now += step.integer("ms", 0) * 1_000_000;
                    talk.session.poll(talk.now);
            }
            assertEquals(given, talk.game.cancelled.size(), "the game is told to give up what it must, and nothing else");
            compare(step);
        }

        private void ask(JsonObject step) {
            JsonObject line = Talk.parse(step.text("line"));
            boolean stops = line.text("intent").equals("STOP");
            requests.put(line.integer("id", 0), stops ? "STOP" : line.text("request"));
            String ending = step.text("game");
            int jumps = talk.game.jumps.size();
            int before = jumps + talk.game.stops.size();
            talk.hear(step.text("line"));
            talk.session.work(talk.now);
            int begun = talk.game.jumps.size() + talk.game.stops.size() - before;
            assertEquals(ending == null ? 0 : 1, begun, step.text("line"));
            if (ending != null && !stops) {
                IncomingIntent jump = talk.game.jumps.get(jumps);
                known.remove(requests.get(jump.id()));
                if (ending.equals("never")) {
                    open.add(jump);
                } else {
                    end(jump, ending);
                }
            }
        }

        /** Ends an attempt with damage that no other has. */
        private void end(IncomingIntent attempt, String how) {
            String[] words = how.split("/");
            double damage = talk.game.jumps.size() / 7.0;
            attempt.finish(new Result(
                Status.valueOf(words[0]), Reason.valueOf(words[1]), false, damage, 0, false, null, null, null, null));
        }

        /** Every result is the one of the vectors; those of one request are the same, field by field. */
        private void compare(JsonObject step) {
            List<List<?>> expected = new ArrayList<>();
            if (step.get("answer") != null) {
                List<Object> own = new ArrayList<>((List<?>) step.get("answer"));
                own.add(0, Talk.parse(step.text("line")).get("id"));
                expected.add(own);
            }
            if (step.has("answers")) {
                ((List<?>) step.get("answers")).forEach(each -> expected.add((List<?>) each));
            }
            List<List<?>> found = new ArrayList<>();
            boolean acknowledged = false;
            for (String line : talk.said()) {
                JsonObject frame = Talk.parse(line);
                acknowledged |= frame.text("type").equals("progress");
                if (frame.text("type").equals("result")) {
                    JsonObject result = (JsonObject) frame.get("result");
                    found.add(Arrays.asList(
                        frame.get("id"), result.text("status"), result.text("failure_reason"), frame.text("detail")));
                    compareWithKnown(frame, line.substring(line.indexOf("\"result\":")));
                }
            }
            assertEquals(step.text("do").equals("cancel"), acknowledged);
            assertEquals(sorted(expected), sorted(found));
        }

        private void compareWithKnown(JsonObject frame, String whole) {
            String request = requests.get(frame.integer("id", 0));
            String detail = frame.text("detail");
            if (request != null && !request.equals("STOP") && (detail == null || detail.equals("STOPPED"))) {
                known.putIfAbsent(request, whole);
                assertEquals(known.get(request), whole);
            }
        }

        private static List<String> sorted(List<List<?>> answers) {
            return answers.stream().map(List::toString).sorted().collect(Collectors.toList());
        }
    }
}
