package volition.executor.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import volition.executor.Shared;
import volition.executor.Trees;

/** The arena reproduces the golden trace to the bit: after every tick, state, results and events have its hash. */
class GoldenTest {
    @TestFactory
    List<DynamicTest> everyTraceIsReproduced() throws IOException {
        byte[] file = Shared.read("volition.golden", "protocol/golden.json");
        Map<?, ?> golden = (Map<?, ?>) Trees.parse(file);
        assertEquals((long) Rules.VERSION, golden.get("rules"));
        List<DynamicTest> tests = new ArrayList<>();
        for (Object each : (List<?>) golden.get("traces")) {
            Map<?, ?> trace = (Map<?, ?>) each;
            String name = ((String) trace.get("map")).lines().findFirst().orElse("") + ", seed " + trace.get("seed");
            tests.add(DynamicTest.dynamicTest(name, () -> replay(trace)));
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
                note(call(arena, (Map<?, ?>) call), results, events);
            }
            note(arena.step(), results, events);
            Actor actor = arena.actor;
            List<Object> now = List.of(
                (long) actor.x, (long) actor.y, (long) actor.z, (long) actor.health, (long) actor.stamina);
            assertEquals(tick.get("actor"), now, "the actor in tick " + number);
            Object state = Trees.written(out -> ArenaState.write(out, arena, false));
            String found = Trees.sha256(Map.of("state", state, "results", results, "events", events));
            assertEquals(tick.get("sha256"), found, () -> "tick " + tick + ": " + state + results + events);
        }
    }

    private static ArenaReport call(Arena arena, Map<?, ?> call) {
        if (call.containsKey("cancel")) {
            return arena.cancel((Long) call.get("cancel"));
        }
        if (call.containsKey("reset")) {
            return arena.reset();
        }
        double[] vector = null;
        if (call.get("params") != null) {
            Map<?, ?> params = (Map<?, ?>) call.get("params");
            vector = ((List<?>) params.get("vector")).stream().mapToDouble(part -> ((Number) part).doubleValue()).toArray();
        }
        long basedOn = call.get("based_on") == null ? -1 : (Long) call.get("based_on");
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
