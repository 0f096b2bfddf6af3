package volition.bodies.minestom;

import net.kyori.adventure.bossbar.BossBar;
import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.format.NamedTextColor;
import net.minestom.server.MinecraftServer;
import net.minestom.server.command.builder.Command;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.GameMode;
import net.minestom.server.entity.Player;
import net.minestom.server.entity.PlayerHand;
import net.minestom.server.event.GlobalEventHandler;
import net.minestom.server.event.entity.EntityAttackEvent;
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent;
import net.minestom.server.event.player.PlayerEntityInteractEvent;
import net.minestom.server.event.player.PlayerSpawnEvent;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.tag.Tag;
import volition.executor.ExecutorServer;

/**
 * The people who join a stage. They fly where they see the house, and nothing hurts them; they ask a guest why by a click, and
 * for another evening, a pause and its end by commands, which the bridge is told as events.
 */
final class Visitors implements StageGame.Audience {
    /** The ticks between two equal wishes of one visitor: a click that is held down is one question. */
    private static final int BETWEEN_WISHES = 5;

    private final InstanceContainer instance;
    private final House house;
    private final BossBar caption =
        BossBar.bossBar(Component.empty(), 1, BossBar.Color.WHITE, BossBar.Overlay.PROGRESS);

    Visitors(InstanceContainer instance, House house) {
        this.instance = instance;
        this.house = house;
    }

    /** Lets people in; what they wish is told to the bridge. */
    void welcome(ExecutorServer server, StageGame stage) {
        GlobalEventHandler events = MinecraftServer.getGlobalEventHandler();
        events.addListener(AsyncPlayerConfigurationEvent.class, event -> {
            event.setSpawningInstance(instance);
            event.getPlayer().setRespawnPoint(house.view());
        });
        events.addListener(PlayerSpawnEvent.class, event -> settle(event.getPlayer()));
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
        for (String word : new String[] {"instead", "pause", "resume"}) {
            Command command = new Command(word);
            command.setDefaultExecutor((sender, context) -> {
                if (sender instanceof Player player) {
                    wish(server, stage, player, word, null);
                }
            });
            MinecraftServer.getCommandManager().register(command);
        }
    }

    private void settle(Player player) {
        player.setGameMode(GameMode.ADVENTURE);
        player.setInvulnerable(true);
        player.setAllowFlying(true);
        player.setFlying(true);
        player.showBossBar(caption);
        player.sendMessage(note("Click on a guest to ask why; /instead, /pause, /resume."));
    }

    private static void ask(ExecutorServer server, StageGame stage, Player player, Entity target) {
        wish(server, stage, player, "asked", target);
    }

    /** Events come on other threads than the tick, which alone knows the guests. */
    private static void wish(ExecutorServer server, StageGame stage, Player player, String event, Entity target) {
        server.post(() -> {
            String about = target == null ? null : stage.who(target);
            Tag<Long> lastWish = Tag.Long("last_" + event);
            Long last = player.getTag(lastWish);
            if ((target != null && about == null) || (last != null && stage.tick() - last < BETWEEN_WISHES)) {
                return;
            }
            player.setTag(lastWish, stage.tick());
            if (!server.isConnected()) {
                player.sendMessage(note("Nothing is being shown."));
                return;
            }
            server.tell(event, 0, out -> {
                out.object().field("by", player.getUsername());
                if (about != null) {
                    out.field("about", about);
                }
                out.end();
            });
        });
    }

    @Override
    public void hear(String line) {
        instance.sendMessage(Component.text(line));
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
