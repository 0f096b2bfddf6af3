package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A bad line is answered with its code and attempts nothing, and the next good one is read; an over-long one ends it. */
class HostileTest {
    @TestFactory
    List<DynamicTest> everyHostileLineIsSurvived() throws IOException, Fault {
        byte[] file = Shared.read("volition.hostile", "../protocol/hostile.json");
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) new JsonReader().read(file, 0, file.length).get("lines")) {
            JsonObject line = (JsonObject) each;
            String code = line.text("code");
            byte[] bytes = bytes((List<?>) line.get("parts"));
            tests.add(DynamicTest.dynamicTest(line.text("name"), () -> survive(bytes, code)));
        }
        assertTrue(tests.size() >= 40, "the corpus is there");
        return tests;
    }

    private static void survive(byte[] line, String code) {
        Talk talk = Talk.open();
        talk.hear(line);
        talk.hear("\n" + Talk.intent(1, "JUMP"));
        List<String> said = talk.gist();
        if ("too_long".equals(code)) {
            assertEquals(Session.Phase.CLOSED, talk.session.phase);
            return;
        }
        if (code != null) {
            assertEquals(List.of("error " + code), said);
        } else {
            boolean complains = said.stream().anyMatch(word -> word.startsWith("error") && !word.endsWith("out_of_order"));
            assertFalse(complains, said::toString);
        }
        if (talk.session.phase == Session.Phase.OPEN) {
            assertEquals(List.of(1L), Talk.ids(talk.taken()));
        }
    }

    private static byte[] bytes(List<?> parts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Object part : parts) {
            String text = (String) ((List<?>) part).get(0);
            long times = (Long) ((List<?>) part).get(1);
            bytes.write(text.repeat((int) times).getBytes(StandardCharsets.ISO_8859_1));
        }
        return bytes.toByteArray();
    }
}
