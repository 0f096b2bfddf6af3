package volition.bodies.minestom;

import volition.executor.IncomingIntent;
import volition.executor.Result;

/** An intent that the hero is busy with, and the hero's counters when it began. */
final class Task {
    final IncomingIntent attempt;
    /** The tick in which it began. */
    final long since;
    private final int dealt;
    private final int received;
    int toX;
    int toY;
    int steps;

    Task(IncomingIntent attempt, long since, Hero hero) {
        this.attempt = attempt;
        this.since = since;
        dealt = hero.damageDealt;
        received = hero.damageReceived;
    }

    void finish(Result result, Hero hero) {
        attempt.finish(result.dealt(hero.damageDealt - dealt).received(hero.damageReceived - received));
    }
}
