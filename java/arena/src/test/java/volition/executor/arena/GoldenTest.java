package volition.executor.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import volition.executor.Shared;
import volition.executor.Trees;

/** The arena reproduces the golden trace to the bit: after every tick, state, results and events have its hash. */
class GoldenTest {
    @TestFactory
    List<DynamicTest> everyTraceIsReproduced() throws IOException {
        return forEveryTrace(GoldenTest::replay);
    }

    /** An arena that was played before and is reset to the seed of a trace reproduces it, and its numbers continue. */
    @TestFactory
    List<DynamicTest> aResetBeginsAsANewArenaWould() throws IOException {
        return forEveryTrace(GoldenTest::replayAfterReset);
    }

    private static List<DynamicTest> forEveryTrace(Consumer<Map<?, ?>> test) throws IOException {
        byte[] file = Shared.read("volition.golden", "../protocol/golden.json");
        Map<?, ?> golden = (Map<?, ?>) Trees.parse(file);
        assertEquals((long) Rules.VERSION, golden.get("rules"));
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) golden.get("traces")) {
            Map<?, ?> trace = (Map<?, ?>) each;
            String name = ((String) trace.get("map")).lines().findFirst().orElse("") + ", seed " + trace.get("seed");
            tests.add(DynamicTest.dynamicTest(name, () -> test.accept(trace)));
        }
        assertTrue(tests.size() >= 9, "the traces are there");
        return tests;
    }

    private static void replay(Map<?, ?> trace) {
        Arena arena = new Arena(MapText.parse((String) trace.get("map"), "map"), (Long) trace.get("seed"));
        int number = 0;
        for (Object each : (List<?>) trace.get("ticks")) {
            Map<?, ?> tick = (Map<?, ?>) each;
            number++;
            List<Object> results = new ArrayList<>();
            List<Object> events = new ArrayList<>();
            for (Object call : (List<?>) tick.get("calls")) {
                note(call(arena, (Map<?, ?>) call, 0), results, events);
            }
            note(arena.step(), results, events);
            assertEquals(tick.get("actor"), body(arena.actor), "the actor in tick " + number);
            Object state = Trees.written(out -> ArenaState.write(out, arena, false));
            String found = Trees.sha256(Map.of("state", state, "results", results, "events", events));
            assertEquals(tick.get("sha256"), found, () -> "tick " + tick + ": " + state + results + events);
        }
    }

    private static void replayAfterReset(Map<?, ?> trace) {
        long seed = (Long) trace.get("seed");
        Arena arena = new Arena(MapText.parse((String) trace.get("map"), "map"), (seed + 1) % Rules.LARGEST_SEED);
        arena.attempt("HOLD", null, 1, -1, 1);
        arena.attempt("MOVE", new double[] {1, 0, 0}, 2, -1, 40);
        for (int tick = 0; tick < 150; tick++) {
            arena.step();
        }
        arena.attempt("JUMP", null, 3, -1, 1);
        assertTrue(arena.reset(seed).results.isEmpty(), "what is open is dropped");
        long seq = arena.seq;
        long episode = arena.episode;
        assertTrue(seq > 150 && arena.tick == 150 && episode > 1, "the numbers continue");
        int number = 0;
        for (Object each : (List<?>) trace.get("ticks")) {
            Map<?, ?> tick = (Map<?, ?>) each;
            number++;
            List<Object> ended = new ArrayList<>();
            for (Object call : (List<?>) tick.get("calls")) {
                end(call(arena, (Map<?, ?>) call, seq), ended);
            }
            end(arena.step(), ended);
            assertEquals(tick.get("ended"), ended, "what ended in tick " + number);
            assertEquals(tick.get("actor"), body(arena.actor), "the actor in tick " + number);
            Opponent opponent = arena.opponent;
            List<Object> other = List.of((long) opponent.x, (long) opponent.y, (long) opponent.health);
            assertEquals(tick.get("opponent"), other, "the opponent in tick " + number);
        }
        assertEquals(150 + number, arena.tick);
        assertTrue(arena.episode >= episode, "an episode never comes again");
    }

    private static void end(ArenaReport report, List<Object> ended) {
        for (ArenaReport.Finished finished : report.results) {
            ended.add(List.of(finished.id, finished.result.status().name(), finished.result.reason().name()));
        }
    }

    private static List<Object> body(Actor actor) {
        return List.of((long) actor.x, (long) actor.y, (long) actor.z, (long) actor.health, (long) actor.stamina);
    }

    /** {@code before} is the sequence number at which the trace began. */
    private static ArenaReport call(Arena arena, Map<?, ?> call, long before) {
        if (call.containsKey("cancel")) {
            return arena.cancel((Long) call.get("cancel"));
        }
        if (call.containsKey("reset")) {
            return arena.reset((Long) call.get("reset"));
        }
        double[] vector = null;
        if (call.get("params") != null) {
            Map<?, ?> params = (Map<?, ?>) call.get("params");
            vector = ((List<?>) params.get("vector")).stream().mapToDouble(part -> ((Number) part).doubleValue()).toArray();
        }
        long basedOn = call.get("based_on") == null ? -1 : before + (Long) call.get("based_on");
        long ticks = call.get("ticks") == null ? Long.MAX_VALUE : (Long) call.get("ticks");
        return arena.attempt((String) call.get("intent"), vector, (Long) call.get("id"), basedOn, ticks);
    }

    private static void note(ArenaReport report, List<Object> results, List<Object> events) {
        for (ArenaReport.Finished finished : report.results) {
            Object result = Trees.result(finished.result);
            results.add(Map.of("id", finished.id, "intent", finished.intent, "result", result));
        }
        for (ArenaReport.Event event : report.events) {
            Map<String, Object> told = new HashMap<>(Map.of("event", event.name, "tick", event.tick));
            if (event.name.equals("hold_ended")) {
                told.putAll(Map.of("id", event.number, "reason", event.reason));
            } else if (event.name.equals("episode_began")) {
                told.put("episode", event.number);
            }
            events.add(told);
        }
    }
}
