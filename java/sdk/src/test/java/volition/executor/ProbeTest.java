package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A probe is answered where both sides have the feature, and never with a frame that is not of the contract. */
class ProbeTest {
    private static final String ASKS = Talk.HELLO.replace("[\"events\"", "[\"probe\",\"events\"");
    private static final Probe GOOD = out -> {
        out.object("sight").field("health", 10).end();
        out.array("ways").array().value(1).value(0).value(0).end().end().field("to_harm", (String) null);
    };

    private static String read(long id) {
        return "{\"v\":1,\"type\":\"probe.read\",\"id\":" + id + "}";
    }

    @Test
    void aProbeIsAnsweredInItsPlace() {
        Talk talk = new Talk(new Options().probe(GOOD));
        talk.hear(ASKS);
        JsonObject welcome = Talk.parse(talk.said().get(0));
        assertEquals(List.of("events", "next_state", "progress", "state_push", "probe"), welcome.get("features"));
        talk.hear(Talk.intent(1, "STOP"), "{\"v\":1,\"type\":\"state_request\",\"id\":2,\"full\":true}", read(3), read(4));
        talk.hear("{\"v\":1,\"type\":\"state_request\",\"id\":5,\"full\":false}", Talk.intent(5, "JUMP"));
        talk.session.work(0);
        List<String> said = new ArrayList<>(talk.said());
        assertEquals("error stale_id", Talk.gist(said.remove(0)), "the ids of probes are counted with the others");
        assertEquals(
            "{\"v\":1,\"type\":\"probe.sight\",\"id\":3,\"sight\":{\"health\":10},\"ways\":[[1,0,0]],\"to_harm\":null}",
            said.get(2));
        List<String> gist = new ArrayList<>();
        said.forEach(line -> gist.add(Talk.gist(line)));
        assertEquals(List.of("1 SUCCESS NONE", "state 2", "probe.sight 3", "probe.sight 4", "state 5"), gist);
    }

    @Test
    void whoDidNotAgreeOnItIsRefused() {
        Talk unasked = new Talk(new Options().probe(GOOD));
        unasked.hear(read(1), Talk.HELLO, read(2));
        unasked.session.work(0);
        assertEquals(List.of("error out_of_order", "welcome", "error out_of_order"), unasked.gist());
        Talk unoffered = new Talk(new Options());
        unoffered.hear(ASKS, read(1), "{\"v\":1,\"type\":\"probe.sight\",\"id\":2,\"sight\":{}}");
        unoffered.session.work(0);
        assertEquals(List.of("welcome", "error out_of_order", "error out_of_order"), unoffered.gist());
    }

    @Test
    void aProbeThatFailsSpoilsNoFrame() {
        List<Probe> bad = List.of(
            out -> { throw new IllegalStateException("planted"); },
            out -> out.object("sight"),
            out -> out.key("sight"),
            out -> out.array("ways").end(),
            out -> out.field("sight", 7),
            out -> out.object("sight").end().field("id", 9),
            out -> out.object("sight").end().array("to_harm").value(1).value(2).end(),
            out -> out.object("sight").end().field("ways", (String) null),
            out -> out.object("sight").end().field("precision", -1),
            out -> out.object("sight").field("facing", "x".repeat(1 << 20)).end());
        for (Probe probe : bad) {
            List<RuntimeException> heard = new ArrayList<>();
            Talk talk = new Talk(new Options().probe(probe).onTrouble(heard::add));
            talk.hear(ASKS, read(1), "{\"v\":1,\"type\":\"state_request\",\"id\":2,\"full\":true}");
            talk.session.work(0);
            assertEquals(List.of("welcome", "state 2"), talk.gist(), "probe " + bad.indexOf(probe));
            assertEquals(1, heard.size());
        }
    }
}
