package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each id is attempted at most once, each intent answered exactly once, and STOP comes before all others. */
class AttemptsTest {
    @Test
    void anIdIsAttemptedOnce() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(5, "JUMP"), Talk.intent(5, "JUMP"));
        List<IncomingIntent> taken = talk.taken();
        assertEquals(List.of(5L), Talk.ids(taken));
        talk.hear(Talk.intent(5, "JUMP"));
        assertEquals(List.of(), talk.taken());
        taken.get(0).finish(Result.success().dealt(3));
        List<String> first = talk.said();
        talk.hear(Talk.intent(5, "EVADE"));
        assertEquals(first, talk.said());
        talk.hear(Talk.intent(4, "JUMP"));
        assertEquals(List.of("error stale_id"), talk.gist());
        assertThrows(IllegalStateException.class, taken.get(0)::succeed);
    }

    @Test
    void aForgottenIdIsNotAttemptedAgain() {
        Talk talk = Talk.open(new Options().resultCache(1));
        for (long id = 1; id <= 2; id++) {
            talk.hear(Talk.intent(id, "JUMP"));
            talk.taken().get(0).succeed();
        }
        talk.said();
        talk.hear(Talk.intent(1, "JUMP"));
        assertEquals(List.of(), talk.taken());
        assertEquals(List.of("error stale_id"), talk.gist());
    }

    @Test
    void stopOvertakesAndEndsEverything() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"));
        IncomingIntent first = talk.taken().get(0);
        talk.hear(Talk.intent(2, "JUMP"), Talk.intent(3, "JUMP"), Talk.intent(4, "STOP"), Talk.intent(5, "JUMP"));
        assertEquals(List.of("2 FAILURE UNKNOWN STOPPED", "3 FAILURE UNKNOWN STOPPED"), talk.gist());
        List<IncomingIntent> taken = talk.taken();
        assertEquals(List.of(4L, 5L), Talk.ids(taken));
        taken.get(0).succeed();
        assertEquals(List.of("1 PARTIAL NONE STOPPED", "4 SUCCESS NONE"), talk.gist());
        assertFalse(first.isOpen());
        first.succeed();
        assertEquals(List.of(), talk.gist(), "to finish what a STOP has ended changes nothing");
        taken.get(1).succeed();
        assertEquals(List.of("5 SUCCESS NONE"), talk.gist());
    }

    @Test
    void stopOfOneAgentLeavesTheOthers() {
        Talk talk = Talk.open();
        String ann = ",\"agent\":\"ann\"";
        talk.hear(Talk.intent(1, "JUMP", ann), Talk.intent(2, "JUMP", ",\"agent\":\"bob\""), Talk.intent(3, "STOP", ann));
        assertEquals(List.of("1 FAILURE UNKNOWN STOPPED"), talk.gist());
        assertEquals(List.of(3L, 2L), Talk.ids(talk.taken()));
        talk.hear(Talk.intent(4, "JUMP", ann), Talk.intent(5, "STOP"));
        assertEquals(List.of("4 FAILURE UNKNOWN STOPPED"), talk.gist());
    }

    @Test
    void whatWaitsTooLongIsNotAttempted() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"));
        assertEquals(Talk.SECOND, talk.session.wakeAt());
        talk.now = Talk.SECOND / 2;
        talk.hear(Talk.intent(2, "JUMP"), Talk.intent(3, "STOP", ",\"agent\":\"nobody\""));
        talk.now = Talk.SECOND;
        talk.session.poll(talk.now);
        assertEquals(List.of("1 FAILURE INVALID_STATE EXPIRED"), talk.gist());
        talk.now = 2 * Talk.SECOND;
        assertEquals(List.of(3L), Talk.ids(talk.taken()));
        assertEquals(List.of("2 FAILURE INVALID_STATE EXPIRED"), talk.gist());
    }

    @Test
    void whatOutlivesItsTimeIsCancelledOnce() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"));
        IncomingIntent underWay = talk.taken().get(0);
        talk.now = Talk.SECOND / 2;
        talk.hear("{\"v\":1,\"type\":\"pong\",\"n\":1}");
        assertEquals(Talk.SECOND, talk.session.wakeAt(), "before the next ping is due");
        talk.session.poll(Talk.SECOND - 1);
        assertEquals(List.of(), talk.game.cancelled);
        talk.session.poll(Talk.SECOND);
        talk.session.poll(Talk.SECOND);
        assertEquals(List.of(underWay), talk.game.cancelled);
        assertEquals(3 * Talk.SECOND / 2, talk.session.wakeAt(), "it is not waited for again");
        underWay.finish(Result.partial(Reason.NONE));
        assertEquals(List.of("1 PARTIAL NONE"), talk.gist());
    }

    @Test
    void aGameThatEndsWhatIsOverdueIsNotAskedTo() {
        Talk.Game game = new Talk.Game();
        game.about.endsOverdue();
        Talk talk = new Talk(game, new Options());
        talk.hear(Talk.HELLO, Talk.intent(1, "JUMP"));
        talk.taken();
        talk.session.poll(Talk.SECOND);
        assertEquals(List.of(), game.cancelled);
    }

    @Test
    void theWindowIsHeldAndStopAlwaysFits() {
        Talk talk = Talk.open(new Options().maxInflight(2));
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "JUMP"), Talk.intent(3, "JUMP"));
        assertEquals(List.of("3 FAILURE RESOURCE_EXHAUSTED WINDOW_FULL"), talk.gist());
        talk.hear(Talk.intent(4, "STOP"));
        assertEquals(List.of(4L), Talk.ids(talk.taken()));
        talk.hear(Talk.intent(5, "JUMP"), Talk.intent(6, "JUMP"));
        assertEquals(List.of(5L, 6L), Talk.ids(talk.taken()), "an open STOP takes no place");
    }

    @Test
    void aCancelIsAcknowledgedAndTheResultFollows() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"));
        IncomingIntent underWay = talk.taken().get(0);
        talk.hear(Talk.intent(2, "JUMP"));
        talk.hear("{\"v\":1,\"type\":\"cancel\",\"id\":1}", "{\"v\":1,\"type\":\"cancel\",\"id\":2}");
        assertEquals(List.of("progress 1", "progress 2", "2 FAILURE UNKNOWN CANCELLED"), talk.gist());
        assertEquals(List.of(underWay), talk.game.cancelled);
        underWay.finish(Result.partial(Reason.NONE));
        assertEquals(List.of("1 PARTIAL NONE"), talk.gist());
        talk.hear("{\"v\":1,\"type\":\"cancel\",\"id\":1}", "{\"v\":1,\"type\":\"cancel\",\"id\":2}");
        assertEquals(List.of(), talk.gist());
        talk.hear("{\"v\":1,\"type\":\"cancel\",\"id\":9}");
        assertEquals(List.of("error unknown_id"), talk.gist());
    }

    @Test
    void onlyCanonicalIntentsAreAttempted() {
        List<String> bad = List.of(
            Talk.intent(1, "DANCE"), Talk.intent(2, "JUMP", ",\"parameters\":{\"key\":\"W\"}"), Talk.intent(3, "MOVE"),
            Talk.intent(4, "MOVE", ",\"parameters\":{\"vector\":[1,2]}"),
            Talk.intent(5, "MOVE", ",\"parameters\":{\"vector\":[1,2,\"3\"]}"),
            Talk.intent(6, "MOVE", ",\"parameters\":{\"vector\":[1,2,true]}"),
            Talk.intent(7, "MOVE", ",\"parameters\":{\"vector\":[1,2,3],\"if\":1}"));
        Talk talk = Talk.open();
        for (int i = 0; i < bad.size(); i++) {
            talk.hear(bad.get(i));
            assertEquals(List.of(i + 1 + " FAILURE UNKNOWN NOT_CANONICAL"), talk.gist());
        }
        talk.hear(Talk.intent(8, "MOVE", ",\"parameters\":{\"vector\":[1,-2.5,0]}"));
        IncomingIntent move = talk.taken().get(0);
        assertEquals(List.of(1.0, -2.5, 0.0), List.of(move.x(), move.y(), move.z()));
    }

    @Test
    void whatTheGameDoesNotOfferIsTurnedAway() {
        Talk.Game game = new Talk.Game();
        game.about.without(Intent.JUMP);
        Talk talk = new Talk(game, new Options());
        talk.hear(Talk.HELLO, Talk.intent(1, "JUMP"));
        assertEquals(List.of("welcome", "1 FAILURE UNKNOWN UNSUPPORTED"), talk.gist());
    }

    @Test
    void anIntentOfAFormerEpisodeIsOutOfSync() {
        Talk talk = Talk.open();
        talk.session.push();
        talk.hear(Talk.intent(1, "JUMP", ",\"based_on\":1"), Talk.intent(2, "JUMP", ",\"based_on\":2"));
        assertEquals(List.of("state", "2 FAILURE INVALID_STATE NO_SUCH_STATE"), talk.gist());
        talk.game.episode++;
        talk.hear(Talk.intent(3, "JUMP", ",\"based_on\":1"));
        talk.session.push();
        talk.hear(Talk.intent(4, "JUMP", ",\"based_on\":1"), Talk.intent(5, "JUMP", ",\"based_on\":2"));
        String former = " FAILURE INVALID_STATE FORMER_EPISODE";
        assertEquals(List.of("3" + former, "state", "4" + former), talk.gist());
        talk.hear(Talk.intent(6, "STOP", ",\"based_on\":1,\"agent\":\"x\""));
        assertEquals(List.of(6L, 1L, 5L), Talk.ids(talk.taken()));
    }

    @Test
    void anAttemptKnowsItsTime() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "STOP"));
        List<IncomingIntent> taken = talk.taken();
        assertEquals(List.of(2L), Talk.ids(taken), "the STOP was quicker");
        talk.hear(Talk.intent(3, "JUMP"));
        IncomingIntent jump = talk.taken().get(0);
        assertEquals(1000, jump.ttlMs());
        talk.now = Talk.SECOND - 1;
        assertFalse(jump.isOverdue());
        talk.now = Talk.SECOND;
        assertTrue(jump.isOverdue());
        assertTrue(jump.isOpen(), "it is the game's to end");
        assertFalse(taken.get(0).isOverdue(), "a STOP never is");
    }
}
