package volition.bodies.minestom;

import java.util.HashSet;
import java.util.Set;
import net.kyori.adventure.text.Component;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.entity.GameMode;
import net.minestom.server.entity.Player;
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.tag.Tag;

/** Who comes in from the game's port: so many and no more, who fly, cannot be hurt, and are heard no faster than they can read. */
final class Admission {
    /** How many people may look on at once: what a small server can bear. */
    static final int MOST_VISITORS = 40;
    /** The ticks between two equal wishes of one visitor: a click that is held down is one question. */
    private static final int BETWEEN_WISHES = 5;

    private final Set<Player> admitted = new HashSet<>();

    /** Lets somebody into a world at a place, or says that it is full. Any thread may call it: many come at once. */
    synchronized void admit(AsyncPlayerConfigurationEvent event, InstanceContainer instance, Pos place) {
        event.setSpawningInstance(instance);
        event.getPlayer().setRespawnPoint(place);
        admitted.removeIf(player -> !player.isOnline());
        if (admitted.size() < MOST_VISITORS) {
            admitted.add(event.getPlayer());
        } else {
            event.getPlayer().kick(Component.text("It is full here: " + MOST_VISITORS + " people look on already."));
        }
    }

    /** Lets a visitor fly, unhurt. */
    static void settle(Player player) {
        player.setGameMode(GameMode.ADVENTURE);
        player.setInvulnerable(true);
        player.setAllowFlying(true);
        player.setFlying(true);
    }

    /** Whether a visitor had the same wish a moment ago; if not, it is noted. Called on the tick. */
    static boolean isTooSoon(Player player, String wish, long tick) {
        Tag<Long> lastWish = Tag.Long("last_" + wish);
        Long last = player.getTag(lastWish);
        if (last != null && tick - last < BETWEEN_WISHES) {
            return true;
        }
        player.setTag(lastWish, tick);
        return false;
    }
}
