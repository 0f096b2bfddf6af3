package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A game with several actors: states, results and episodes are those of the actor that the bridge names. */
class SeveralActorsTest {
    private static final class Duo extends Talk.Game implements SeveralActors {
        final Map<String, Long> episodes = new HashMap<>(Map.of("ann", 1L, "bob", 1L));

        @Override
        public boolean knows(String agent) {
            return episodes.containsKey(agent);
        }

        @Override
        public void describe(JsonWriter out, boolean full, String agent) {
            out.object().field("me", agent).end();
        }

        @Override
        public boolean isAlive(String agent) {
            return agent.equals("ann");
        }

        @Override
        public long episode(String agent) {
            return episode * 100 + episodes.get(agent);
        }
    }

    private final Duo game = new Duo();
    private final Talk talk = new Talk(game, new Options());

    private void greet() {
        talk.hear(Talk.HELLO);
        talk.said();
    }

    private JsonObject asked(long id, String agent) {
        talk.hear("{\"v\":1,\"type\":\"state_request\",\"id\":" + id + ",\"full\":true,\"agent\":\"" + agent + "\"}");
        talk.session.work(talk.now);
        return Talk.parse(talk.said().get(0));
    }

    private static String jump(long id, String agent, String more) {
        return Talk.intent(id, "JUMP", ",\"agent\":\"" + agent + "\"" + more);
    }

    @Test
    void aStateIsThatOfTheActorWhoWasAskedAbout() {
        greet();
        game.episodes.put("bob", 7L);
        JsonObject bob = asked(1, "bob");
        assertEquals("bob", bob.text("agent"));
        assertEquals(7, bob.integer("episode", -1));
        assertEquals("bob", ((JsonObject) bob.get("data")).text("me"));
        JsonObject nobody = asked(2, "eve");
        assertFalse(nobody.has("agent"), "of whom the game does not know, it shows the world");
        assertEquals(0, nobody.integer("episode", -1));
    }

    @Test
    void anIntentForNobodyIsRefusedAndAStopIsNot() {
        greet();
        talk.hear(jump(1, "eve", ""), Talk.intent(2, "STOP", ",\"agent\":\"eve\""));
        talk.session.work(talk.now);
        assertEquals(List.of("1 FAILURE INVALID_STATE NO_SUCH_AGENT", "2 SUCCESS NONE"), talk.gist());
        assertEquals(List.of(), game.jumps);
    }

    @Test
    void aResultTellsOfItsOwnActor() {
        greet();
        talk.hear(jump(1, "ann", ""), jump(2, "bob", ""));
        talk.session.work(talk.now);
        game.jumps.forEach(IncomingIntent::succeed);
        List<String> said = talk.said();
        for (int i = 0; i < 2; i++) {
            JsonObject frame = Talk.parse(said.get(i));
            JsonObject outcomes = (JsonObject) ((JsonObject) frame.get("result")).get("outcomes");
            assertEquals(i == 0, outcomes.get("is_alive"));
            assertEquals(List.of("ann", "bob").get(i), ((JsonObject) frame.get("next_state")).text("agent"));
        }
    }

    @Test
    void theEpisodeOfOneIsNotThatOfTheOther() {
        greet();
        long annSaw = asked(1, "ann").integer("seq", 0);
        long bobSaw = asked(2, "bob").integer("seq", 0);
        game.episodes.put("bob", 2L);
        talk.hear(jump(3, "ann", ",\"based_on\":" + annSaw), jump(4, "bob", ",\"based_on\":" + bobSaw));
        talk.session.work(talk.now);
        assertEquals(List.of("4 FAILURE INVALID_STATE FORMER_EPISODE"), talk.gist());
        assertEquals(1, game.jumps.size());
        talk.session.push();
        long pushed = Talk.parse(talk.said().get(0)).integer("seq", 0);
        talk.hear(jump(5, "bob", ",\"based_on\":" + pushed), jump(6, "bob", ",\"based_on\":" + bobSaw));
        talk.session.work(talk.now);
        assertEquals(List.of("6 FAILURE INVALID_STATE FORMER_EPISODE"), talk.gist(), "a push shows the new one too");
        game.episode = 1;
        talk.hear(jump(7, "ann", ",\"based_on\":" + pushed));
        talk.session.work(talk.now);
        assertEquals(List.of("7 FAILURE INVALID_STATE FORMER_EPISODE"), talk.gist(), "the world has begun again");
    }

    @Test
    void anEventNamesItsActor() {
        greet();
        talk.session.event("fell", 0, "bob", null);
        talk.session.event("rain", 0, null, null);
        List<String> said = talk.said();
        assertEquals("bob", Talk.parse(said.get(0)).text("agent"));
        assertFalse(Talk.parse(said.get(1)).has("agent"));
    }

    @Test
    void aGameWithOneActorTakesAnyNameForIt() {
        Talk one = Talk.open();
        one.hear("{\"v\":1,\"type\":\"state_request\",\"id\":1,\"full\":true,\"agent\":\"eve\"}", jump(2, "eve", ""));
        one.session.work(one.now);
        assertFalse(one.said().get(0).contains("agent"));
        assertEquals("eve", one.game.jumps.get(0).agent());
    }

    @Test
    void theTimeThatIsLeftCanBeRead() {
        Talk one = Talk.open();
        one.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "STOP"));
        one.session.work(one.now);
        one.hear(Talk.intent(3, "JUMP"));
        one.session.work(one.now);
        IncomingIntent jump = one.game.jumps.get(0);
        assertEquals(1000, jump.remainingMs());
        one.now += 400_500_000;
        assertEquals(599, jump.remainingMs());
        one.now += Talk.SECOND;
        assertEquals(0, jump.remainingMs());
        assertEquals(Long.MAX_VALUE, one.game.stops.get(0).remainingMs());
        assertEquals(Long.MAX_VALUE, IncomingIntent.of(Intent.JUMP, (self, result) -> {}).remainingMs());
    }
}
