package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import volition.executor.IncomingIntent;
import volition.executor.Reason;
import volition.executor.Status;

/** The example of the README with a declared intent is this very file, and does what it says there. */
class QuarryTest {
    @Test
    void theReadmeShowsTheExampleAsItIs() throws IOException {
        String example = Files.readString(Path.of("src/test/java/example/Quarry.java"));
        assertTrue(Files.readString(Path.of("../README.md")).contains("```java\n" + example + "```"));
    }

    @Test
    void aGameWithAnIntentOfItsOwnIsTestedWithoutABridge() {
        Quarry quarry = new Quarry();
        List<Object> ends = new ArrayList<>();
        IncomingIntent.Desk desk =
            (attempt, result) -> ends.addAll(List.of(attempt.name(), result.status(), result.reason()));
        quarry.dig(IncomingIntent.of(Quarry.DIG, desk, "{\"at\":[1,0,0]}"));
        quarry.dig(IncomingIntent.of(Quarry.DIG, desk, "{\"at\":[0,0,-3]}"));
        quarry.dig(IncomingIntent.of(Quarry.DIG, desk, "{\"at\":[0,0,-3],\"tool\":\"pick\"}"));
        quarry.reset(2);
        quarry.dig(IncomingIntent.of(Quarry.DIG, desk, "{\"at\":[1,0,0]}"));
        assertEquals(
            List.of(
                "DIG", Status.SUCCESS, Reason.NONE, "DIG", Status.FAILURE, Reason.BLOCKED,
                "DIG", Status.SUCCESS, Reason.NONE, "DIG", Status.FAILURE, Reason.BLOCKED),
            ends);
        assertThrows(
            IllegalArgumentException.class, () -> IncomingIntent.of(Quarry.DIG, desk, "{\"at\":[1,0]}"));
    }
}
