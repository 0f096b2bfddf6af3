package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No result contradicts itself, and what the game leaves out is filled in. */
class ResultTest {
    @Test
    void statusAndReasonAgreeByConstruction() {
        assertThrows(IllegalArgumentException.class, () -> Result.failure(Reason.NONE));
        for (Reason reason : Reason.values()) {
            assertEquals(reason, Result.partial(reason).reason());
        }
        for (double wrong : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> Result.success().dealt(wrong));
            assertThrows(IllegalArgumentException.class, () -> Result.success().received(wrong));
        }
    }

    @Test
    void theFlagsFollowFromTheReason() {
        for (Reason reason : Reason.values()) {
            Map<?, ?> payload = (Map<?, ?>) Trees.result(Result.partial(reason).misplaced().wasted());
            Map<?, ?> flags = (Map<?, ?>) payload.get("safety_flags");
            assertEquals(reason == Reason.BLOCKED, flags.get("is_blocked"));
            assertEquals(reason == Reason.COOLDOWN, flags.get("on_cooldown"));
            assertEquals(true, flags.get("invalid_environment"));
            assertEquals(true, payload.get("partial_execution"));
        }
    }

    @Test
    void whatTheGameLeavesOutIsFilledIn() {
        Talk talk = Talk.open();
        talk.game.tick = 12;
        talk.hear(Talk.intent(1, "JUMP"));
        IncomingIntent jump = talk.taken().get(0);
        talk.now = 1_500_000;
        jump.finish(Result.success().dealt(2.5).because("a lucky one"));
        JsonObject frame = Talk.parse(talk.said().get(0));
        JsonObject result = (JsonObject) frame.get("result");
        JsonObject metadata = (JsonObject) result.get("metadata");
        assertEquals(List.of(12L, 1.5), List.of(metadata.get("engine_timestamp"), metadata.get("execution_time_ms")));
        assertEquals(true, ((JsonObject) result.get("outcomes")).get("is_alive"));
        assertEquals("a lucky one", frame.get("detail"));
    }
}
