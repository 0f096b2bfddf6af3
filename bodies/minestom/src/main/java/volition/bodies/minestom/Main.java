package volition.bodies.minestom;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import net.kyori.adventure.text.Component;
import net.minestom.server.Auth;
import net.minestom.server.MinecraftServer;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.Player;
import net.minestom.server.entity.PlayerHand;
import net.minestom.server.event.GlobalEventHandler;
import net.minestom.server.event.entity.EntityAttackEvent;
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent;
import net.minestom.server.event.player.PlayerEntityInteractEvent;
import net.minestom.server.event.player.PlayerSpawnEvent;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.instance.LightingChunk;
import net.minestom.server.timer.ExecutionType;
import net.minestom.server.timer.TaskSchedule;
import volition.executor.ExecutorServer;
import volition.executor.Options;

/**
 * Serves the yard, or with {@code --stage} an empty stage; {@link Arguments#USAGE} has the options. A bridge connects to the
 * first port, a client of the game to the second; 0 is any free one. The first line of its output is the bridge's address.
 * With a leash it ends with its standard input. It ends with 2 for bad arguments, and with 3 where a port is taken.
 */
public final class Main {
    private static final int PORT_TAKEN = 3;
    private static final String HOST = "127.0.0.1";

    /** A beat of a show has a cue for each guest. */
    private static final int MOST_CUES = 64;

    private final ExecutorServer server;
    /** One tick of the game. */
    private final Runnable step;

    /** Sets the world up. */
    Main(InstanceContainer instance, Arguments given) throws IOException {
        Options options = new Options().token(given.token);
        if (given.stage) {
            House house = new House(instance);
            Visitors visitors = new Visitors(instance, house);
            StageGame stage = new StageGame(instance, house, visitors);
            server = ExecutorServer.listen(given.port, stage, options.maxInflight(MOST_CUES));
            stage.declare(server);
            visitors.welcome(server, stage);
            step = stage::step;
        } else {
            YardGame yard = new YardGame(instance, given.seed, this::happened);
            server = ExecutorServer.listen(given.port, yard, given.probe ? options.probe(new YardProbe(yard)) : options);
            yard.works().declare(server);
            welcomeToYard(instance, yard);
            step = yard::step;
        }
        // At the end of a tick Minestom's physics has been at work, and no other thread touches the world. A task that is
        // submitted rather than scheduled would run here and now, and this thread would own the server.
        MinecraftServer.getSchedulerManager()
            .scheduleTask(this::tick, TaskSchedule.nextTick(), TaskSchedule.tick(1), ExecutionType.TICK_END);
        MinecraftServer.getSchedulerManager().buildShutdownTask(this::close);
    }

    /** An empty world. */
    static InstanceContainer world() {
        InstanceContainer instance = MinecraftServer.getInstanceManager().createInstanceContainer();
        instance.setChunkSupplier(LightingChunk::new);
        return instance;
    }

    String address() {
        return server.address();
    }

    /** Minestom closes from a thread of its own, and may tick once more afterwards. */
    private synchronized void tick() {
        if (server.isOver()) {
            return;
        }
        server.tick();
        step.run();
        server.push();
    }

    private void happened(String event) {
        if (server != null) {
            server.tell(event);
        }
    }

    private synchronized void close() {
        try {
            server.close();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** People who join fly above the yard; whoever clicks on the hero is told how it is, and the bridge is told who asked. */
    private void welcomeToYard(InstanceContainer instance, YardGame game) {
        Admission admission = new Admission();
        GlobalEventHandler events = MinecraftServer.getGlobalEventHandler();
        events.addListener(AsyncPlayerConfigurationEvent.class,
            event -> admission.admit(event, instance, new Pos(8, Yard.FLOOR + 4, 5)));
        events.addListener(PlayerSpawnEvent.class, event -> Admission.settle(event.getPlayer()));
        events.addListener(PlayerEntityInteractEvent.class, event -> {
            if (event.getHand() == PlayerHand.MAIN) {
                answer(game, event.getPlayer(), event.getTarget());
            }
        });
        events.addListener(EntityAttackEvent.class, event -> {
            if (event.getEntity() instanceof Player player) {
                answer(game, player, event.getTarget());
            }
        });
    }

    /** Events come on other threads than the tick. */
    private void answer(YardGame game, Player player, Entity target) {
        server.post(() -> {
            if (target == game.hero.body.entity && !Admission.isTooSoon(player, "asked", game.tick())) {
                player.sendMessage(Component.text(report(game)));
                String who = player.getUsername();
                server.tell("asked", 0, out -> out.object().field("by", who).field("about", "hero").end());
            }
        });
    }

    private static String report(YardGame game) {
        String doing = game.open.isEmpty() ? "idle" : game.open.getFirst().attempt.name();
        return "hero: health " + game.hero.body.health() + ", " + doing;
    }

    public static void main(String[] words) throws IOException {
        Arguments given;
        try {
            given = Arguments.read(words);
        } catch (IllegalArgumentException wrong) {
            System.err.println("error: " + wrong.getMessage() + "\n" + Arguments.USAGE);
            System.exit(2);
            return;
        }
        MinecraftServer minecraft = MinecraftServer.init(new Auth.Offline());
        MinecraftServer.getExceptionManager().setExceptionHandler(new QuietErrors(System.err));
        try {
            Main main = new Main(world(), given);
            minecraft.start(new InetSocketAddress(HOST, given.gamePort));
            System.out.println(main.address());
            int port = MinecraftServer.getServer().getPort();
            System.out.println("Minecraft " + MinecraftServer.VERSION_NAME + " at " + HOST + ":" + port);
        } catch (IOException | RuntimeException failed) {
            Throwable cause = failed instanceof BindException ? failed : failed.getCause();
            System.err.println("error: " + (cause instanceof BindException ? "a port is taken: " : "") + failed.getMessage());
            System.exit(cause instanceof BindException ? PORT_TAKEN : 1);
        }
        if (given.leash) {
            endWithInput();
        }
    }

    private static void endWithInput() throws IOException {
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }
}
