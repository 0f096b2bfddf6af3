package volition.executor.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import volition.executor.Trees;

/** What the arena tells a probe is what its rules will do with the next intent. */
class ArenaProbeTest {
    private static final String MAP = "name: lane\n########\n#@..~.&#\n#.######\n########\n";

    private static Map<?, ?> sight(Arena arena) {
        return (Map<?, ?>) Trees.written(out -> {
            new ArenaProbe(arena).write(out.object());
            out.end();
        });
    }

    @Test
    void itKnowsTheGround() {
        Map<?, ?> told = sight(new Arena(MapText.parse(MAP, "map"), 0));
        assertEquals(List.of(List.of(2.0, 0.0, 0.0), List.of(1.0, 0.0, 0.0), List.of(0.0, 1.0, 0.0)), told.get("ways"));
        assertEquals(
            List.of(List.of(-1.0, 0.0, 0.0), List.of(0.0, -1.0, 0.0), List.of(0.0, 2.0, 0.0)), told.get("obstructed"));
        assertEquals(List.of(3.0, 0.0, 0.0), told.get("to_harm"));
        assertEquals(List.of(4.0, 0.0, 0.0), told.get("to_target"), "over the hazard, where no other way leads");
        assertEquals(List.of(0.02, 0.0, 0.0), told.get("face_target"));
        assertEquals(List.of(-0.02, 0.0, 0.0), told.get("face_away"));
    }

    @Test
    void itKnowsTheActor() {
        Arena arena = new Arena(MapText.parse(MAP, "map"), 0);
        Map<?, ?> calm = (Map<?, ?>) sight(arena).get("sight");
        assertEquals(List.of(1.5, 1.5, 0.0), calm.get("place"));
        assertEquals(List.of(List.of(), List.of(), false), List.of(calm.get("cooling"), calm.get("tired"), calm.get("busy")));
        arena.attempt("JUMP", null, 1, -1, 40);
        arena.step();
        Map<?, ?> flying = (Map<?, ?>) sight(arena).get("sight");
        assertFalse((Boolean) flying.get("grounded"));
        assertEquals(List.of("JUMP"), flying.get("cooling"));
        arena.attempt("MOVE", new double[] {2, 0, 0}, 2, -1, 40);
        assertTrue((Boolean) ((Map<?, ?>) sight(arena).get("sight")).get("busy"));
    }

    @Test
    void itKnowsWhomABlowWouldMeet() {
        for (Facing facing : Facing.values()) {
            Arena arena = new Arena(MapText.parse("name: nook\n####\n#@.#\n#.&#\n####\n", "map"), 0);
            arena.actor.facing = facing;
            Map<?, ?> target = (Map<?, ?>) ((Map<?, ?>) sight(arena).get("sight")).get("target");
            assertEquals(true, target.get("in_reach"));
            int health = arena.opponent.health;
            arena.attempt("PRIMARY_ATTACK", null, 1, -1, 40);
            assertEquals(arena.opponent.health < health, target.get("ahead"), facing.word);
        }
    }

    @Test
    void itIsOffUnlessAskedFor() {
        assertFalse(Arguments.read(new String[0]).probe);
        assertTrue(Arguments.read(new String[] {"--probe"}).probe);
    }
}
