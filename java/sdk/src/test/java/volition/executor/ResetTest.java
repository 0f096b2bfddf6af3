package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Episodes: a reset ends what is open, begins the world again, and shows it; in whatever way the game fails at it. */
class ResetTest {
    private static final String HELLO = Talk.HELLO.replace("\"state_push\"", "\"reset\"");

    private static final class Again extends Talk.Game implements Resettable {
        final List<Long> seeds = new ArrayList<>();
        Runnable onReset = () -> episode++;
        Consumer<IncomingIntent> onCancel = attempt -> {};

        @Override
        public void cancel(IncomingIntent attempt) {
            super.cancel(attempt);
            onCancel.accept(attempt);
        }

        @Override
        public void reset(long seed) {
            seeds.add(seed);
            onReset.run();
        }

        @Override
        public boolean isDeterministic() {
            return true;
        }
    }

    private final List<RuntimeException> troubles = new ArrayList<>();
    private final Again game = new Again();

    private Talk open() {
        Talk talk = new Talk(game, new Options().onTrouble(troubles::add));
        talk.hear(HELLO);
        JsonObject welcome = Talk.parse(talk.said().get(0));
        assertEquals(List.of("events", "next_state", "progress", "reset"), welcome.get("features"));
        assertEquals(true, welcome.get("deterministic"));
        return talk;
    }

    private static String reset(long id, long seed) {
        return "{\"v\":1,\"type\":\"reset\",\"id\":" + id + ",\"seed\":" + seed + "}";
    }

    @Test
    void resultsAreOfTheWorldThatEndsAndTheAnswerIsOfTheNewOne() {
        Talk talk = open();
        talk.hear(Talk.intent(1, "JUMP"));
        talk.session.work(0);
        talk.now = 3_000_000;
        talk.hear(reset(2, 7));
        List<String> said = talk.said();
        assertEquals(List.of("1 PARTIAL NONE RESET", "state 2"), List.of(Talk.gist(said.get(0)), Talk.gist(said.get(1))));
        JsonObject ended = Talk.parse(said.get(0));
        assertEquals(0L, ((JsonObject) ended.get("next_state")).get("episode"));
        JsonObject metadata = (JsonObject) ((JsonObject) ended.get("result")).get("metadata");
        assertEquals(3.0, metadata.get("execution_time_ms"));
        JsonObject state = Talk.parse(said.get(1));
        assertEquals(List.of(1L, true, 2L), List.of(state.get("episode"), state.get("full"), state.get("seq")));
        assertEquals(List.of(7L), game.seeds);
        IncomingIntent former = game.jumps.get(0);
        assertFalse(former.isOpen());
        former.succeed();
        assertEquals(List.of(), talk.gist(), "to finish what a reset has ended changes nothing");
        assertEquals(List.of(former), game.cancelled);
    }

    @Test
    void theGameSaysHowItsAttemptsEnded() {
        Talk talk = open();
        game.onCancel = attempt -> attempt.finish(
            attempt.id() == 1 ? Result.partial(Reason.BLOCKED).received(2) : Result.success().because("in time"));
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "JUMP"));
        talk.session.work(0);
        talk.hear(reset(3, 7));
        List<String> said = talk.said();
        assertTrue(said.get(0).contains("\"damage_received\":2.0"), said.get(0));
        assertEquals(
            List.of("1 PARTIAL BLOCKED RESET", "2 SUCCESS NONE in time", "state 3"),
            said.stream().map(Talk::gist).collect(Collectors.toList()));
    }

    @Test
    void eachOfTwoResetsEndsWhatCameBeforeIt() {
        Talk talk = open();
        talk.hear(reset(1, 7), Talk.intent(2, "JUMP"), reset(3, 8), Talk.intent(4, "JUMP", ",\"based_on\":1"));
        talk.hear(Talk.intent(5, "JUMP", ",\"based_on\":2"), Talk.intent(4, "JUMP"));
        talk.session.work(0);
        String refused = "4 FAILURE INVALID_STATE FORMER_EPISODE";
        assertEquals(List.of("state 1", "2 FAILURE UNKNOWN RESET", "state 3", refused, refused), talk.gist());
        assertEquals(List.of(5L), Talk.ids(game.jumps));
        assertEquals(List.of(7L, 8L), game.seeds);
    }

    @Test
    void aStopThatBrakesEndsWithItsWorld() {
        List<IncomingIntent> braking = new ArrayList<>();
        Talk talk = open();
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "STOP"));
        braking.addAll(talk.taken());
        assertEquals(List.of(2L), Talk.ids(braking));
        talk.hear(reset(3, 7));
        assertEquals(List.of("1 FAILURE UNKNOWN STOPPED", "2 PARTIAL NONE RESET", "state 3"), talk.gist());
        talk.hear("{\"v\":1,\"type\":\"ping\",\"n\":1}");
        assertTrue(talk.said().get(0).endsWith("\"open\":[]}"));
    }

    @Test
    void aGameThatFailsAtItIsAnsweredForAndItsAuthorIsTold() {
        Talk talk = open();
        game.onReset = () -> {
            throw new IllegalStateException("no");
        };
        talk.hear(Talk.intent(1, "JUMP"), reset(2, 7));
        assertEquals(List.of("1 FAILURE UNKNOWN RESET", "state 2"), talk.gist());
        assertEquals("no", troubles.remove(0).getMessage());
        game.onReset = () -> {};
        talk.hear(reset(3, 7));
        assertEquals(List.of("state 3"), talk.gist());
        assertEquals("a reset begins a new episode, but episode() is still 0", troubles.remove(0).getMessage());
        game.onReset = () -> game.jumps.forEach(IncomingIntent::succeed);
        game.episode = 5;
        talk.hear(Talk.intent(4, "JUMP"));
        talk.session.work(0);
        talk.hear(reset(5, 7));
        assertEquals(List.of("4 PARTIAL NONE RESET", "state 5"), talk.gist(), "a result that comes too late is not sent");
    }

    @Test
    void aGameThatCannotBeginAgainDoesNotOfferIt() {
        Talk talk = new Talk(new Options());
        talk.hear(reset(1, 7), HELLO, reset(1, 7));
        String welcome = talk.said().get(1);
        assertFalse(welcome.contains("reset") || welcome.contains("deterministic"), welcome);
        talk.hear(reset(1, 7), Talk.intent(1, "JUMP"));
        assertEquals(List.of("error out_of_order"), talk.gist());
        assertEquals(List.of(1L), Talk.ids(talk.taken()), "a refused reset uses up no id");
    }
}
