package volition.bodies.minestom;

import java.util.ArrayDeque;
import java.util.Deque;
import net.kyori.adventure.bossbar.BossBar;
import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.format.NamedTextColor;
import net.minestom.server.MinecraftServer;
import net.minestom.server.command.builder.Command;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.Player;
import net.minestom.server.entity.PlayerHand;
import net.minestom.server.event.GlobalEventHandler;
import net.minestom.server.event.entity.EntityAttackEvent;
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent;
import net.minestom.server.event.player.PlayerDisconnectEvent;
import net.minestom.server.event.player.PlayerEntityInteractEvent;
import net.minestom.server.event.player.PlayerSpawnEvent;
import net.minestom.server.instance.InstanceContainer;
import volition.executor.ExecutorServer;

/**
 * The people who join a stage. They fly where they see the house, and nothing hurts them; they ask a guest why by a click, and
 * for another evening, a pause and its end by commands, which the bridge is told as events.
 */
final class Visitors implements StageGame.Audience {
    private static final String PAUSE = "pause";
    private static final String RESUME = "resume";
    /** How many lines whoever joins late can read of what was said. */
    private static final int LINES_KEPT = 8;

    private final InstanceContainer instance;
    private final House house;
    private final Deque<String> lately = new ArrayDeque<>();
    /** Who has paused the show; null while it goes on. */
    private Player pausing;
    private final BossBar caption =
        BossBar.bossBar(Component.empty(), 1, BossBar.Color.WHITE, BossBar.Overlay.PROGRESS);

    Visitors(InstanceContainer instance, House house) {
        this.instance = instance;
        this.house = house;
    }

    /** Lets people in; what they wish is told to the bridge. */
    void welcome(ExecutorServer server, StageGame stage) {
        Admission admission = new Admission();
        GlobalEventHandler events = MinecraftServer.getGlobalEventHandler();
        events.addListener(AsyncPlayerConfigurationEvent.class, event -> admission.admit(event, instance, house.view()));
        events.addListener(PlayerSpawnEvent.class, event -> settle(server, stage, event.getPlayer()));
        events.addListener(PlayerDisconnectEvent.class, event -> server.post(() -> leave(server, event.getPlayer())));
        events.addListener(PlayerEntityInteractEvent.class, event -> {
            if (event.getHand() == PlayerHand.MAIN) {
                ask(server, stage, event.getPlayer(), event.getTarget());
            }
        });
        events.addListener(EntityAttackEvent.class, event -> {
            if (event.getEntity() instanceof Player player) {
                ask(server, stage, player, event.getTarget());
            }
        });
        for (String word : new String[] {"instead", PAUSE, RESUME}) {
            Command command = new Command(word);
            command.setDefaultExecutor((sender, context) -> {
                if (sender instanceof Player player) {
                    wish(server, stage, player, word, null);
                }
            });
            MinecraftServer.getCommandManager().register(command);
        }
    }

    /** Whoever comes late is told who is where, and what was said a moment ago; the rest they see. */
    private void settle(ExecutorServer server, StageGame stage, Player player) {
        Admission.settle(player);
        player.showBossBar(caption);
        server.post(() -> {
            player.sendMessage(note("Click on a guest to ask why; /instead, /pause, /resume."));
            stage.whereabouts().forEach(line -> player.sendMessage(Component.text(line, NamedTextColor.GRAY)));
            lately.forEach(line -> player.sendMessage(Component.text(line)));
        });
    }

    /** A show that somebody has paused goes on when they are gone: nobody else need know how. */
    private void leave(ExecutorServer server, Player player) {
        if (player == pausing) {
            pausing = null;
            tell(server, player, RESUME, null);
        }
    }

    private void ask(ExecutorServer server, StageGame stage, Player player, Entity target) {
        wish(server, stage, player, "asked", target);
    }

    /** Events come on other threads than the tick, which alone knows the guests. */
    private void wish(ExecutorServer server, StageGame stage, Player player, String event, Entity target) {
        server.post(() -> {
            String about = target == null ? null : stage.who(target);
            boolean isHeard = player.isOnline() && (target == null || about != null);
            if (!isHeard || Admission.isTooSoon(player, event, stage.tick())) {
                return;
            }
            if (!server.isConnected()) {
                player.sendMessage(note("Nothing is being shown."));
                return;
            }
            if (event.equals(PAUSE) || event.equals(RESUME)) {
                pausing = event.equals(PAUSE) ? player : null;
            }
            tell(server, player, event, about);
        });
    }

    private static void tell(ExecutorServer server, Player player, String event, String about) {
        server.tell(event, 0, out -> {
            out.object().field("by", player.getUsername());
            if (about != null) {
                out.field("about", about);
            }
            out.end();
        });
    }

    @Override
    public void hear(String line) {
        if (lately.size() == LINES_KEPT) {
            lately.removeFirst();
        }
        lately.add(line);
        instance.sendMessage(Component.text(line));
    }

    @Override
    public void forget() {
        lately.clear();
    }

    @Override
    public void read(String text) {
        caption.name(Component.text(text));
    }

    @Override
    public boolean tell(String name, String text) {
        for (Player player : instance.getPlayers()) {
            if (player.getUsername().equals(name)) {
                player.sendMessage(note(text));
                return true;
            }
        }
        return false;
    }

    @Override
    public void gather() {
        instance.getPlayers().forEach(player -> player.teleport(house.view()));
    }

    private static Component note(String text) {
        return Component.text(text, NamedTextColor.GOLD);
    }
}
