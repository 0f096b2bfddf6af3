package volition.executor.arena;

import java.io.IOException;
import java.nio.file.Path;
import volition.executor.ExecutorServer;
import volition.executor.Options;
import volition.executor.RequestMemory;

/**
 * Serves the arena: {@code --port N | --unix PATH | --stdio}, {@code --map NAME|FILE}, {@code --seed N},
 * {@code --token T}, {@code --hz N}, {@code --window N}, {@code --leash}, {@code --probe},
 * {@code --requests FILE}. The first line of its
 * output is the address. Intents are attempted as soon as they arrive; the world ticks by the clock.
 */
public final class Main {
    private static final int MOST_LATE = 5;
    private static final long NANOS = 1_000_000_000L;
    private static final long LONGEST_NAP = NANOS / 20;

    private final ExecutorServer server;
    private final ArenaExecutor game;
    private final double hz;
    private volatile boolean asked;

    private Main(ExecutorServer server, ArenaExecutor game, double hz) {
        this.server = server;
        this.game = game;
        this.hz = hz;
    }

    /** Runs until it is asked to end, or with {@code --stdio} until its input does; exits with 2 for bad arguments. */
    public static void main(String[] arguments) throws IOException {
        Arguments given;
        Ground ground;
        try {
            given = Arguments.read(arguments);
            ground = MapText.named(given.map);
        } catch (IllegalArgumentException | IOException wrong) {
            System.err.println("error: " + wrong.getMessage() + "\n" + Arguments.USAGE);
            System.exit(2);
            return;
        }
        Arena arena = new Arena(ground, given.seed);
        ArenaExecutor game = new ArenaExecutor(arena, given.hz);
        Options options = new Options().token(given.token).maxInflight(given.window);
        if (given.probe) {
            options.probe(new ArenaProbe(arena));
        }
        try (RequestMemory memory = given.requests == null ? null : new RequestMemory(Path.of(given.requests));
                ExecutorServer server = open(given, game, options.requests(memory))) {
            game.serve(server);
            Main main = new Main(server, game, given.hz);
            main.endWhenAsked(given.leash);
            if (!given.stdio) {
                System.out.println(server.address());
                System.out.flush();
            }
            main.run();
        }
    }

    private static ExecutorServer open(Arguments given, ArenaExecutor game, Options options) throws IOException {
        if (given.stdio) {
            return ExecutorServer.stdio(game, options);
        }
        return given.unix != null
            ? ExecutorServer.listen(Path.of(given.unix), game, options)
            : ExecutorServer.listen(given.port, game, options);
    }

    /** Steps the world at its pace; a delay is caught up, up to a few ticks. */
    private void run() {
        long period = (long) (NANOS / hz);
        long next = System.nanoTime() + period;
        while (!asked && !server.isOver()) {
            server.await(Math.min(LONGEST_NAP, next - System.nanoTime()));
            for (int late = 0; late < MOST_LATE && System.nanoTime() - next >= 0; late++) {
                game.step();
                next += period;
            }
            if (System.nanoTime() - next >= 0) {
                next = System.nanoTime() + period;
            }
        }
    }

    /** On a signal, and with a leash when standard input ends, the loop says goodbye before the process ends. */
    private void endWhenAsked(boolean leash) {
        Thread loop = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            asked = true;
            server.wakeup();
            try {
                loop.join(1000);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }));
        if (leash) {
            Thread watch = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) {
                        continue;
                    }
                } catch (IOException gone) {
                    // The same as the end.
                }
                System.exit(0);
            }, "volition-leash");
            watch.setDaemon(true);
            watch.start();
        }
    }
}
