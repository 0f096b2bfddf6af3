package example;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import volition.executor.About;
import volition.executor.Declaration;
import volition.executor.Executor;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.JsonWriter;
import volition.executor.Reason;
import volition.executor.Resettable;
import volition.executor.Status;

/** Blocks at whole places; the seed decides which of them are granite, which only a pick breaks. */
public final class Quarry implements Executor, Resettable {
    static final Declaration DIG = Declaration.of("DIG")
        .integers("at", 3)
        .choice("tool", "pick", "spade").optional("tool")
        .canEnd(Status.FAILURE, Reason.BLOCKED)
        .describedAs("Dig out one block, with a spade if no tool is named.");

    private final Set<String> dug = new TreeSet<>();
    private long seed;
    private long digs;
    private long episode;

    @Override
    public About about() {
        return About.game("quarry", "1.0").without(
            Intent.PRIMARY_ATTACK, Intent.EVADE, Intent.MOVE, Intent.HOLD, Intent.RELEASE, Intent.JUMP);
    }

    /** The parameters fit the declaration, so nothing needs to be checked here. */
    void dig(IncomingIntent attempt) {
        digs++;
        long[] at = attempt.parameters().integers("at");
        boolean granite = Math.floorMod(at[0] + at[1] + at[2] + seed, 3L) == 0;
        if (granite && attempt.parameters().text("tool", "spade").equals("spade")) {
            attempt.fail(Reason.BLOCKED);
        } else {
            dug.add(Arrays.toString(at));
            attempt.succeed();
        }
    }

    /** A new episode, which depends on the seed alone. */
    @Override
    public void reset(long seed) {
        this.seed = seed;
        dug.clear();
        episode++;
    }

    @Override
    public boolean isDeterministic() {
        return true;
    }

    @Override
    public void stop(IncomingIntent attempt) {
        attempt.succeed();
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        out.object().field("seed", seed).array("dug");
        dug.forEach(out::value);
        out.end().end();
    }

    @Override
    public long tick() {
        return digs;
    }

    @Override
    public long episode() {
        return episode;
    }

    public static void main(String[] arguments) throws Exception {
        Quarry game = new Quarry();
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7777;
        try (ExecutorServer server = ExecutorServer.listen(port, game)) {
            server.declare(DIG, game::dig);
            System.out.println(server.address());
            while (true) {
                server.await(1_000_000_000L);
            }
        }
    }
}
