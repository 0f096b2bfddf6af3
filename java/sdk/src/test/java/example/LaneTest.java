package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.Reason;
import volition.executor.Status;

/** The example of the README is this very file, and does what it says there. */
@Timeout(60)
class LaneTest {
    @Test
    void theReadmeShowsTheExampleAsItIs() throws IOException {
        String example = Files.readString(Path.of("src/test/java/example/Lane.java"));
        assertTrue(Files.readString(Path.of("../README.md")).contains("```java\n" + example + "```"));
    }

    @Test
    void aGameIsTestedWithoutABridge() {
        Lane lane = new Lane();
        List<Object> ends = new ArrayList<>();
        IncomingIntent.Desk desk =
            (attempt, result) -> ends.addAll(List.of(attempt.intent(), result.status(), result.reason()));
        lane.move(IncomingIntent.of(Intent.MOVE, desk, 2, 0, 0));
        lane.step();
        assertEquals(List.of(), ends);
        lane.step();
        assertEquals(List.of(Intent.MOVE, Status.SUCCESS, Reason.NONE), ends);
        ends.clear();
        lane.move(IncomingIntent.of(Intent.MOVE, desk, -9, 0, 0));
        lane.step();
        lane.step();
        lane.step();
        assertEquals(List.of(Intent.MOVE, Status.PARTIAL, Reason.BLOCKED), ends);
        ends.clear();
        lane.move(IncomingIntent.of(Intent.MOVE, desk, 5, 0, 0));
        lane.stop(IncomingIntent.of(Intent.STOP, desk));
        assertEquals(List.of(Intent.MOVE, Status.PARTIAL, Reason.NONE, Intent.STOP, Status.SUCCESS, Reason.NONE), ends);
    }

    @Test
    void itIsDrivenOverASocket() throws IOException {
        String lines = "{\"v\":1,\"type\":\"hello\",\"spec\":\"1.0.0\",\"client\":{\"name\":\"t\",\"version\":\"0\"}}\n"
            + "{\"v\":1,\"type\":\"intent\",\"id\":1,\"intent\":\"MOVE\",\"ttl_ms\":60000,"
            + "\"parameters\":{\"vector\":[3,0,0]}}\n";
        Lane lane = new Lane();
        try (ExecutorServer server = ExecutorServer.listen(0, lane);
            Socket socket = new Socket("127.0.0.1", Integer.parseInt(server.address().replaceAll(".*:", "")));
            InputStreamReader input = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
            BufferedReader reader = new BufferedReader(input)) {
            socket.setSoTimeout(5000);
            socket.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
            while (!reader.ready()) {
                server.await(1_000_000);
            }
            assertTrue(reader.readLine().contains("\"type\":\"welcome\""));
            for (int i = 0; i < 3; i++) {
                server.tick();
                lane.step();
            }
            assertTrue(reader.readLine().contains("\"id\":1,\"intent\":\"MOVE\",\"result\":{\"status\":\"SUCCESS\""));
        }
    }
}
