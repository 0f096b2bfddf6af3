import volition.executor.About;
import volition.executor.Executor;
import volition.executor.ExecutorServer;
import volition.executor.IncomingIntent;
import volition.executor.JsonWriter;

/** A hero who brakes for three ticks before it stands, in a game that shows every tick. */
public final class BrakingHero implements Executor {
    private long tick;
    private int speed;
    private IncomingIntent braking;

    @Override
    public About about() {
        return About.game("braking", "1").tickHz(100);
    }

    @Override
    public void stop(IncomingIntent attempt) {
        braking = attempt;
        speed = 3;
    }

    @Override
    public void jump(IncomingIntent attempt) {
        attempt.succeed();
    }

    @Override
    public void describe(JsonWriter out, boolean full) {
        out.object().field("speed", speed).field("full", full).end();
    }

    @Override
    public long tick() {
        return tick;
    }

    private void step() {
        tick++;
        if (braking != null && --speed == 0) {
            braking.succeed();
            braking = null;
        }
    }

    /** Serves until standard input ends. */
    public static void main(String[] arguments) throws Exception {
        BrakingHero game = new BrakingHero();
        try (ExecutorServer server = ExecutorServer.listen(0, game)) {
            System.out.println(server.address());
            Thread leash = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) { }
                } catch (java.io.IOException ended) {
                    // the same as an end
                }
                System.exit(0);
            });
            leash.setDaemon(true);
            leash.start();
            while (true) {
                server.tick();
                game.step();
                server.push();
                Thread.sleep(10);
            }
        }
    }
}
