package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Each id attempted at most once, each intent answered exactly once, and STOP before all. */
class SessionTest {
    @Test
    void anIdIsAttemptedOnce() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(5, "JUMP"), Talk.intent(5, "JUMP"));
        List<Attempt> taken = talk.taken();
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
        Attempt first = talk.taken().get(0);
        talk.hear(Talk.intent(2, "JUMP"), Talk.intent(3, "JUMP"), Talk.intent(4, "STOP"), Talk.intent(5, "JUMP"));
        assertEquals(List.of("2 FAILURE UNKNOWN STOPPED", "3 FAILURE UNKNOWN STOPPED"), talk.gist());
        List<Attempt> taken = talk.taken();
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
        Attempt underWay = talk.taken().get(0);
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
        Attempt underWay = talk.taken().get(0);
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
        Attempt move = talk.taken().get(0);
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
    void theLossOfTheBridgeIsToldOnceAndTheActorStops() {
        List<String> ways = List.of("dead", "eof", "torn", "reset", "goodbye", "faults", "overrun", "the game is over");
        for (String way : ways) {
            Talk talk = Talk.open();
            talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "JUMP"));
            Attempt attempt = talk.session.next(0);
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
        talk.session.event("x", 0, null);
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
        Attempt jump = talk.taken().get(0);
        talk.session.link.begin("state");
        assertThrows(IllegalStateException.class, jump::succeed);
        talk.session.link.abandon();
        jump.succeed();
        assertEquals(List.of("1 SUCCESS NONE"), talk.gist());
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

    @Test
    void anAttemptKnowsItsTime() {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "STOP"));
        List<Attempt> taken = talk.taken();
        assertEquals(List.of(2L), Talk.ids(taken), "the STOP was quicker");
        talk.hear(Talk.intent(3, "JUMP"));
        Attempt jump = talk.taken().get(0);
        assertEquals(1000, jump.ttlMs());
        talk.now = Talk.SECOND - 1;
        assertFalse(jump.isOverdue());
        talk.now = Talk.SECOND;
        assertTrue(jump.isOverdue());
        assertTrue(jump.isOpen(), "it is the game's to end");
        assertFalse(taken.get(0).isOverdue(), "a STOP never is");
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
        Attempt jump = talk.taken().get(0);
        talk.said();
        assertThrows(IllegalStateException.class, jump::succeed);
        fails[0] = false;
        assertTrue(jump.isOpen());
        jump.succeed();
        assertEquals(List.of("1 SUCCESS NONE"), talk.gist());
    }
}
