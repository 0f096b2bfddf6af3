package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The conversations of requests.json: every answer is the one of the vectors, and nothing is attempted that may not be. */
class RequestsTest {
    @TempDir Path folder;

    @TestFactory
    List<DynamicTest> everyConversation() throws IOException, Fault {
        byte[] file = Shared.read("volition.requests", "protocol/requests.json");
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) new JsonReader().read(file, 0, file.length).get("conversations")) {
            JsonObject one = (JsonObject) each;
            Path memory = folder.resolve("requests-" + tests.size());
            tests.add(DynamicTest.dynamicTest(one.text("name"), () -> hold((List<?>) one.get("steps"), memory)));
        }
        assertTrue(tests.size() >= 20, "the conversations are there");
        return tests;
    }

    private static void hold(List<?> steps, Path file) throws IOException {
        Map<String, Object> known = new HashMap<>();
        RequestMemory memory = new RequestMemory(file);
        Talk talk = null;
        for (Object each : steps) {
            JsonObject step = (JsonObject) each;
            switch (step.text("do")) {
                case "greet":
                    talk = new Talk(new Options().requests(memory));
                    talk.hear(step.text("line"));
                    assertEquals(Session.Phase.OPEN, talk.session.phase);
                    talk.said();
                    break;
                case "hang up":
                    talk.session.end(false);
                    break;
                case "restart":
                    memory.close();
                    memory = new RequestMemory(file);
                    break;
                default:
                    ask(talk, step, known);
            }
        }
        memory.close();
    }

    private static void ask(Talk talk, JsonObject step, Map<String, Object> known) {
        String line = step.text("line");
        String ending = step.text("game");
        int before = talk.game.jumps.size();
        talk.hear(line);
        talk.session.work(0);
        assertEquals(ending == null ? 0 : 1, talk.game.jumps.size() - before, line);
        if (ending != null && !ending.equals("never")) {
            String[] words = ending.split("/");
            talk.game.jumps.get(before).finish(new Result(
                Status.valueOf(words[0]), Reason.valueOf(words[1]), false, before / 7.0, 0, false, null, null, null, null));
        }
        List<String> said = talk.said();
        List<?> answer = (List<?>) step.get("answer");
        assertEquals(answer == null ? 0 : 1, said.size(), said::toString);
        if (answer == null) {
            return;
        }
        JsonObject frame = Talk.parse(said.get(0));
        JsonObject result = (JsonObject) frame.get("result");
        assertEquals(answer.get(0), result.text("status"));
        assertEquals(answer.get(1), result.text("failure_reason"));
        assertEquals(answer.get(2), frame.text("detail"));
        String whole = said.get(0).substring(said.get(0).indexOf("\"result\":"));
        String request = Talk.parse(line).text("request");
        if (ending != null) {
            known.put(request, whole);
        } else if (answer.get(2) == null) {
            assertEquals(known.get(request), whole);
        }
    }
}
