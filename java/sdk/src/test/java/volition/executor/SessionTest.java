package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The greeting, the heartbeat, the states and the loss of a bridge. */
class SessionTest {
    @Test
    void theLossOfTheBridgeIsToldOnceAndTheActorStops() {
        List<String> ways = List.of("dead", "eof", "torn", "reset", "goodbye", "faults", "overrun", "the game is over");
        for (String way : ways) {
            Talk talk = Talk.open();
            talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "JUMP"));
            IncomingIntent attempt = talk.session.next(0);
            lose(talk, way);
            assertEquals(List.of(way), talk.game.lost);
            assertEquals(1, talk.game.stops.size());
            assertEquals(0, talk.game.stops.get(0).id());
            assertNull(talk.session.next(0));
            assertFalse(attempt.isOpen());
            attempt.succeed();
            talk.session.end(false);
            talk.session.poll(99 * Talk.SECOND);
            assertEquals(1, talk.game.lost.size(), way);
            assertEquals(Long.MAX_VALUE, talk.session.wakeAt());
        }
    }

    private static void lose(Talk talk, String way) {
        switch (way) {
            case "dead":
                talk.session.poll(Talk.SECOND);
                talk.session.poll(3 * Talk.SECOND - 1);
                assertEquals(Session.Phase.OPEN, talk.session.phase);
                talk.session.poll(3 * Talk.SECOND);
                break;
            case "eof":
            case "reset":
                talk.session.end(way.equals("reset"));
                break;
            case "torn":
                talk.hear("{\"v\":1".getBytes(StandardCharsets.UTF_8));
                talk.session.end(false);
                break;
            case "goodbye":
                talk.hear("{\"v\":1,\"type\":\"goodbye\"}");
                break;
            case "faults":
                talk.hear("?\n".repeat(200).getBytes(StandardCharsets.UTF_8));
                break;
            case "overrun":
                talk.hear("x".repeat(1 << 21).getBytes(StandardCharsets.UTF_8));
                break;
            default:
                talk.session.lose(way);
        }
    }

    @Test
    void itPingsAfterASecondOfSilenceAndHalfALineIsSilence() {
        Talk talk = Talk.open();
        talk.session.poll(Talk.SECOND - 1);
        assertEquals(List.of(), talk.gist());
        talk.now = Talk.SECOND;
        talk.hear("{\"v\":1,".getBytes(StandardCharsets.UTF_8));
        talk.session.poll(Talk.SECOND);
        talk.session.poll(Talk.SECOND + 1);
        talk.session.poll(2 * Talk.SECOND);
        assertEquals(List.of("ping", "ping"), talk.gist());
    }

    @Test
    void aPingIsAnsweredWithTickAndOpenIds() {
        Talk talk = Talk.open();
        talk.game.tick = 7;
        talk.hear(Talk.intent(1, "JUMP"));
        talk.session.next(0);
        talk.hear(Talk.intent(2, "JUMP"), "{\"v\":1,\"type\":\"ping\",\"n\":3}");
        assertEquals(List.of("{\"v\":1,\"type\":\"pong\",\"n\":3,\"tick\":7,\"open\":[1,2]}"), talk.said());
    }

    @Test
    void aStateIsShownAfterWhatWasAskedBeforeIt() {
        Talk talk = Talk.open();
        String request = "{\"v\":1,\"type\":\"state_request\",\"id\":2,\"full\":true}";
        talk.hear(Talk.intent(1, "STOP"), request, Talk.intent(2, "JUMP"));
        talk.session.work(0);
        assertEquals(List.of("error stale_id", "1 SUCCESS NONE", "state 2"), talk.gist());
    }

    @Test
    void resultsCarryTheNextStateOnlyWhereItIsWanted() {
        Talk talk = new Talk(new Options());
        talk.hear(Talk.HELLO.replaceAll(",\"features\".*]", ""), Talk.intent(1, "JUMP"));
        talk.session.push();
        talk.session.event("x", 0, null, null);
        talk.taken().get(0).progress(0.5);
        talk.session.work(0);
        talk.hear(Talk.intent(2, "STOP"));
        talk.session.work(0);
        assertEquals(List.of("welcome", "1 PARTIAL NONE STOPPED", "2 SUCCESS NONE"), talk.gist());
        Talk wanting = Talk.open();
        wanting.hear(Talk.intent(1, "STOP"));
        wanting.session.work(0);
        JsonObject next = (JsonObject) Talk.parse(wanting.said().get(0)).get("next_state");
        assertEquals(1L, next.get("seq"));
    }

    @Test
    void theGreetingIsCheckedInOrder() {
        Options guarded = new Options().token("open sesame");
        String fits = Talk.HELLO.replace("\"features\"", "\"token\":\"open sesame\",\"features\"");
        String schema = ",\"state_schema\":{\"name\":\"x\",\"version\":\"1\",\"hash\":\"?\"}}";
        List<List<String>> cases = List.of(
            List.of("{\"v\":2}", "reject version"), List.of(fits.replace("1.0.0", "2.0.0"), "reject version"),
            List.of(Talk.HELLO, "reject token"), List.of(fits.replace("sesame", "sesam"), "reject token"),
            List.of(fits.substring(0, fits.length() - 1) + schema, "reject schema"), List.of(fits, "welcome"),
            List.of(fits.replace("1.0.0", "1.9.0"), "welcome"));
        for (List<String> one : cases) {
            Talk talk = new Talk(guarded);
            talk.hear(one.get(0), Talk.HELLO);
            assertEquals(one.get(1), talk.gist().get(0), one.get(0));
            assertEquals(one.get(1).equals("welcome") ? Session.Phase.OPEN : Session.Phase.CLOSED, talk.session.phase);
            assertEquals(List.of(), talk.game.stops, "who was never taken on is not missed");
        }
        Talk second = new Talk(new Options());
        second.session.taken = true;
        second.hear(Talk.intent(1, "STOP"), Talk.HELLO);
        assertEquals(List.of("error out_of_order", "reject not_ready"), second.gist());
        Talk silent = new Talk(new Options());
        silent.session.poll(5 * Talk.SECOND);
        assertEquals(List.of("goodbye"), silent.gist());
    }

    @Test
    void anyCutOfTheStreamGivesTheSameAnswers() {
        List<String> parts = List.of(
            Talk.intent(1, "JUMP") + "\n", Talk.intent(2, "STOP") + "\n", "{\"v\":1,\"type\":\"cancel\",\"id\":1}\n",
            "{\"v\":1,\"type\":\"state_request\",\"id\":3,\"full\":true}\n", "?\n", "\u00ff", "\n");
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            StringBuilder stream = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                stream.append(parts.get(random.nextInt(parts.size())));
            }
            byte[] bytes = stream.toString().getBytes(StandardCharsets.ISO_8859_1);
            Talk whole = Talk.open();
            Talk cut = Talk.open();
            whole.hear(bytes);
            for (int at = 0; at < bytes.length; ) {
                int next = Math.min(bytes.length, at + 1 + random.nextInt(40));
                cut.hear(Arrays.copyOfRange(bytes, at, next));
                at = next;
            }
            assertEquals(whole.said(), cut.said());
        }
    }
}
