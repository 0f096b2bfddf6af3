package example;

import volition.executor.About;
import volition.executor.Executor;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.JsonWriter;
import volition.executor.Reason;
import volition.executor.Result;

/** A hero on a lane of ten places, who walks one place in a tick. */
public final class Lane implements Executor {
    private long tick;
    private int at;
    private int to;
    private boolean moved;
    private IncomingIntent walk;

    @Override
    public About about() {
        return About.game("lane", "1.0")
            .tickHz(20)
            .without(Intent.PRIMARY_ATTACK, Intent.EVADE, Intent.HOLD, Intent.RELEASE, Intent.JUMP);
    }

    /** Begins to walk; step() ends the attempt, when its outcome is known. */
    @Override
    public void move(IncomingIntent attempt) {
        endWalk(Result.partial(Reason.NONE));
        walk = attempt;
        to = at + (int) Math.round(attempt.x());
        moved = false;
    }

    /** The bridge gives the walk up: it ends where it is. */
    @Override
    public void cancel(IncomingIntent attempt) {
        if (attempt == walk) {
            endWalk(Result.partial(Reason.NONE));
        }
    }

    @Override
    public void stop(IncomingIntent attempt) {
        endWalk(Result.partial(Reason.NONE));
        attempt.succeed();
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        out.object().field("at", at).field("walking", walk != null).end();
    }

    @Override
    public long tick() {
        return tick;
    }

    /** One tick of the game. */
    public void step() {
        tick++;
        if (walk == null) {
            return;
        }
        int next = at + Integer.signum(to - at);
        if (next < 0 || next > 9) {
            endWalk(moved ? Result.partial(Reason.BLOCKED) : Result.failure(Reason.BLOCKED));
            return;
        }
        moved = true;
        at = next;
        if (at == to) {
            endWalk(Result.success());
        }
    }

    private void endWalk(Result result) {
        if (walk != null) {
            walk.finish(result);
            walk = null;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Lane game = new Lane();
        try (ExecutorServer server = ExecutorServer.listen(7777, game)) {
            System.out.println(server.address());
            while (true) {
                server.tick();  // never blocks
                game.step();
                server.push();  // shows the bridge the new state
                Thread.sleep(50);
            }
        }
    }
}
