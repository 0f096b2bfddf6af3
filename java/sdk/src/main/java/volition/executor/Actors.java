package volition.executor;

import java.util.HashMap;
import java.util.Map;

/**
 * The actors of a game, as one session sees them: whom a name means, and which of the states that were shown belong to the
 * current episode of each. The name null stands for the world as a whole, and in a game with one actor every name does.
 */
final class Actors {
    /** The episode in which an actor was shown last, and the number of the first state that showed it. */
    private static final class Shown {
        final long episode;
        final long since;

        Shown(long episode, long since) {
            this.episode = episode;
            this.since = since;
        }
    }

    private final Executor game;
    private final SeveralActors several;
    private final Map<String, Shown> shown = new HashMap<>();

    Actors(Executor game) {
        this.game = game;
        several = game instanceof SeveralActors ? (SeveralActors) game : null;
    }

    /** Whether an intent may name it. */
    boolean knows(String agent) {
        return agent == null || several == null || several.knows(agent);
    }

    /** The actor that a name means; null for the world as a whole. */
    String named(String agent) {
        return agent != null && several != null && several.knows(agent) ? agent : null;
    }

    boolean isAlive(String agent) {
        return named(agent) == null ? game.isAlive() : several.isAlive(agent);
    }

    long episode(String agent) {
        return named(agent) == null ? game.episode() : several.episode(agent);
    }

    void describe(JsonWriter out, boolean full, String agent) {
        if (named(agent) == null) {
            game.describe(out, full);
        } else {
            several.describe(out, full, agent);
        }
    }

    /**
     * A state of an actor, or of the world, was shown under this number: whoever has begun a new episode since the last one is
     * first shown in it here.
     */
    void note(long seq, String agent) {
        shown.putIfAbsent(null, new Shown(game.episode(), seq));
        shown.putIfAbsent(named(agent), new Shown(episode(agent), 0));
        shown.replaceAll((known, before) -> {
            long now = episode(known);
            return now == before.episode ? before : new Shown(now, seq);
        });
    }

    /** Whether the state with this number was shown before the current episode of an actor, or of the world, began. */
    boolean isFormer(long seq, String agent) {
        return isFormerOf(null, seq) || (named(agent) != null && isFormerOf(agent, seq));
    }

    private boolean isFormerOf(String agent, long seq) {
        long now = episode(agent);
        Shown last = shown.computeIfAbsent(agent, first -> new Shown(now, 0));
        return seq < last.since || now != last.episode;
    }
}
