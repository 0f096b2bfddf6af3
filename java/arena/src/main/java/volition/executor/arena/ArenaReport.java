package volition.executor.arena;

import java.util.ArrayList;
import java.util.List;
import volition.executor.Result;

/**
 * The intents that ended in one call of the arena, in the order in which they began, and the events in it. It is
 * valid until the next call.
 */
final class ArenaReport {
    /** The one result of an intent. */
    static final class Finished {
        final long id;
        final String intent;
        final Result result;

        Finished(long id, String intent, Result result) {
            this.id = id;
            this.intent = intent;
            this.result = result;
        }
    }

    /** An event: {@code number} and {@code reason} are present where the name needs them. */
    static final class Event {
        final String name;
        final long tick;
        final Long number;
        final String reason;

        Event(String name, long tick, Long number, String reason) {
            this.name = name;
            this.tick = tick;
            this.number = number;
            this.reason = reason;
        }
    }

    final List<Finished> results = new ArrayList<>();
    final List<Event> events = new ArrayList<>();

    void clear() {
        results.clear();
        events.clear();
    }
}
