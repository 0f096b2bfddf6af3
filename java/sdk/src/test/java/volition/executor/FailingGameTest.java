package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a game throws, it has failed, and no frame is broken by it. */
class FailingGameTest {
    @Test
    void aGameThatThrowsHasFailedAndIsToldOf() {
        List<RuntimeException> heard = new ArrayList<>();
        Talk talk = Talk.open(new Options().onTrouble(heard::add));
        talk.game.thrown = new IllegalStateException("planted");
        talk.hear(Talk.intent(1, "EVADE"), Talk.intent(2, "JUMP"));
        talk.session.work(0);
        assertEquals(List.of("1 FAILURE UNKNOWN UNSUPPORTED", "2 FAILURE UNKNOWN EXCEPTION"), talk.gist());
        assertEquals(List.of(talk.game.thrown), heard);
    }

    @Test
    void aRequestThatCannotBeRememberedIsNotAttempted(@TempDir Path folder) throws IOException {
        List<RuntimeException> heard = new ArrayList<>();
        RequestMemory memory = new RequestMemory(folder.resolve("requests"));
        Options options = new Options().requests(memory).onTrouble(heard::add);
        String hello = Talk.HELLO.replace("\"features\":[", "\"features\":[\"requests\",");
        Talk talk = new Talk(new Talk.Game(), options);
        talk.hear(hello, Talk.intent(1, "JUMP", mark("r1")));
        talk.session.work(0);
        talk.said();
        memory.close();
        talk.game.jumps.get(0).succeed();
        talk.hear(Talk.intent(2, "JUMP", mark("r2")), Talk.intent(3, "JUMP", mark("r1")));
        talk.session.work(0);
        assertEquals(List.of(
            "1 FAILURE UNKNOWN NOT_REMEMBERED", "2 FAILURE RESOURCE_EXHAUSTED NOT_REMEMBERED", "3 FAILURE UNKNOWN INTERRUPTED"),
            talk.gist().stream().filter(word -> !word.startsWith("state")).collect(Collectors.toList()));
        assertEquals(1, talk.game.jumps.size());
        Talk next = new Talk(new Talk.Game(), options);
        next.hear(hello.replace("]}", "],\"fences\":{\"arm\":9}}"));
        assertEquals(Session.Phase.CLOSED, next.session.phase);
        assertEquals(3, heard.size());
    }

    private static String mark(String request) {
        return ",\"request\":\"" + request + "\",\"digest\":\"d\",\"token\":1,\"resource\":\"arm\"";
    }

    @Test
    void aStateThatCannotBeDescribedSpoilsNoFrame() {
        List<RuntimeException> heard = new ArrayList<>();
        Talk talk = Talk.open(new Options().onTrouble(heard::add));
        talk.game.describes = false;
        talk.hear(Talk.intent(1, "STOP"), "{\"v\":1,\"type\":\"state_request\",\"id\":2,\"full\":true}");
        talk.session.work(0);
        assertEquals(List.of("1 SUCCESS NONE"), talk.gist());
        assertEquals(2, heard.size());
        talk.game.describes = true;
        talk.hear("{\"v\":1,\"type\":\"state_request\",\"id\":3,\"full\":true}");
        talk.session.work(0);
        assertEquals(List.of("state 3"), talk.gist());
    }

    @Test
    void aGameMayNotSpeakWhileItDescribes() {
        Talk talk = Talk.open(new Options().onTrouble(trouble -> { }));
        talk.hear(Talk.intent(1, "JUMP"));
        IncomingIntent jump = talk.taken().get(0);
        talk.session.link.begin("state");
        assertThrows(IllegalStateException.class, jump::succeed);
        talk.session.link.abandon();
        jump.succeed();
        assertEquals(List.of("1 SUCCESS NONE"), talk.gist());
    }

    @Test
    void aGameThatFailsWhileItsResultIsWrittenBreaksNoFrame() {
        boolean[] fails = {true};
        Talk.Game game = new Talk.Game() {
            @Override
            public boolean isAlive() {
                if (fails[0]) {
                    throw new IllegalStateException("no actor");
                }
                return true;
            }
        };
        Talk talk = new Talk(game, new Options());
        talk.hear(Talk.HELLO, Talk.intent(1, "JUMP"));
        IncomingIntent jump = talk.taken().get(0);
        talk.said();
        assertThrows(IllegalStateException.class, jump::succeed);
        fails[0] = false;
        assertTrue(jump.isOpen());
        jump.succeed();
        assertEquals(List.of("1 SUCCESS NONE"), talk.gist());
    }
}
