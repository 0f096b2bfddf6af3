package volition.executor.arena;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import volition.executor.About;
import volition.executor.Executor;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.JsonWriter;
import volition.executor.Resettable;
import volition.executor.Result;

/**
 * The arena as a game that a bridge can drive. All seven intents are handled alike: the arena attempts them, and what has
 * ended, now or in a later tick, is passed on.
 */
final class ArenaExecutor implements Executor, Resettable {
    static final String VERSION = "0.1.0";
    /** The hash in the welcome of every implementation of the arena: the shape of its states, and the rules. */
    static final String SCHEMA_HASH = "934154c91e4ed9a8ab6716413b7621327611e9bec5c99ef617bd24c8c53894e7";

    private final Arena arena;
    private final double hz;
    private final List<IncomingIntent> open = new ArrayList<>();
    private ExecutorServer server;

    ArenaExecutor(Arena arena, double hz) {
        this.arena = arena;
        this.hz = hz;
    }

    /** Events of the arena go to this server. */
    void serve(ExecutorServer server) {
        this.server = server;
    }

    /** Advances the world by one tick, and shows it. */
    void step() {
        tell(arena.step());
        server.push();
    }

    @Override
    public About about() {
        return About.game("arena", VERSION)
            .engine("volition arena")
            .tickHz(hz)
            .endsOverdue()
            .schema("arena", String.valueOf(Rules.VERSION), SCHEMA_HASH)
            .places("tile", "z", "left");
    }

    @Override
    public void primaryAttack(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void evade(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void move(IncomingIntent attempt) {
        attempt(attempt, new double[] {attempt.x(), attempt.y(), attempt.z()});
    }

    @Override
    public void hold(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void release(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void jump(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void stop(IncomingIntent attempt) {
        attempt(attempt, null);
    }

    @Override
    public void cancel(IncomingIntent attempt) {
        tell(arena.cancel(attempt.id()));
    }

    @Override
    public void reset(long seed) {
        arena.reset(seed);
        open.clear();
    }

    @Override
    public boolean isDeterministic() {
        return true;
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        ArenaState.write(out, arena, full);
    }

    @Override
    public long tick() {
        return arena.tick;
    }

    @Override
    public long episode() {
        return arena.episode;
    }

    @Override
    public boolean isAlive() {
        return arena.actor.isAlive();
    }

    private void attempt(IncomingIntent attempt, double[] vector) {
        open.add(attempt);
        // The session has checked basedOn: it numbers the states that were shown.
        tell(arena.attempt(attempt.intent().name(), vector, attempt.id(), -1, ticks(attempt.ttlMs())));
    }

    /** The ticks that fit into the time of an intent, at least one. */
    private long ticks(long ttlMs) {
        return Math.max(1, (long) Math.floor(ttlMs * hz / 1000));
    }

    private void tell(ArenaReport report) {
        for (int i = 0; i < report.results.size(); i++) {
            ArenaReport.Finished finished = report.results.get(i);
            take(finished.id).finish(measured(finished.result));
        }
        for (int i = 0; i < report.events.size(); i++) {
            ArenaReport.Event event = report.events.get(i);
            boolean ofHold = event.name.equals("hold_ended");
            server.tell(event.name, ofHold ? event.number : 0, data(event));
        }
    }

    /** A result whose duration is that of its ticks at this pace. */
    private Result measured(Result result) {
        double took = result.tookMs() * 1000 / Rules.TICK_MS / hz;
        return new Result(
            result.status(), result.reason(), result.outOfPlace(), result.damageDealt(), result.damageReceived(),
            result.actionWasted(), result.alive(), result.timestamp(), took, result.note());
    }

    private IncomingIntent take(long id) {
        int at = 0;
        while (open.get(at).id() != id) {
            at++;
        }
        return open.remove(at);
    }

    private static Consumer<JsonWriter> data(ArenaReport.Event event) {
        switch (event.name) {
            case "hold_ended":
                return out -> out.object().field("reason", event.reason).end();
            case "episode_began":
                return out -> out.object().field("episode", event.number).end();
            default:
                return null;
        }
    }
}
