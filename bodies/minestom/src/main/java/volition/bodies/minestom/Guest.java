package volition.bodies.minestom;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import net.kyori.adventure.text.Component;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.coordinate.Vec;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.EntityCreature;
import net.minestom.server.entity.EntityType;
import net.minestom.server.instance.Instance;
import net.minestom.server.network.packet.server.play.ParticlePacket;
import net.minestom.server.particle.Particle;
import volition.executor.IncomingIntent;
import volition.executor.Reason;
import volition.executor.Result;

/** Somebody on the stage: where they stand, the way that they walk, and what they have just said. */
final class Guest {
    /** Blocks in a tick: four in a second, a walking pace. */
    static final double STRIDE = 0.2;
    private static final int SHORTEST_SPEECH = 60;
    private static final int LONGEST_SPEECH = 200;
    /** The words are above the name. */
    private static final double WORDS_HEIGHT = 0.6;
    private static final double EYES = 1.6;

    final EntityCreature entity = new EntityCreature(EntityType.MANNEQUIN);
    final String name;
    private final Deque<double[]> way = new ArrayDeque<>();
    private double x;
    private double y;
    private IncomingIntent walk;
    private boolean hasMoved;
    private Entity words;
    private int wordsLeft;

    Guest(String name, Instance instance, double x, double y) {
        this.name = name;
        this.x = x;
        this.y = y;
        entity.setNoGravity(true);
        entity.setCustomName(Component.text(name));
        entity.setCustomNameVisible(true);
        entity.setInstance(instance, House.toGame(x, y)).join();
    }

    double x() {
        return x;
    }

    double y() {
        return y;
    }

    double[] place() {
        return new double[] {x, y};
    }

    /** Stands elsewhere at once. */
    void put(double x, double y) {
        this.x = x;
        this.y = y;
        entity.teleport(at(entity.getPosition().yaw()));
    }

    /** Begins to walk; the walk before has to be over. */
    void walk(IncomingIntent attempt, List<double[]> points) {
        walk = attempt;
        hasMoved = false;
        way.addAll(points);
    }

    /** The walk under way; null where there is none. */
    IncomingIntent walk() {
        return walk;
    }

    /** Stands still; the walk that this ends, or null. */
    IncomingIntent halt() {
        IncomingIntent ended = walk;
        walk = null;
        way.clear();
        return ended;
    }

    /** One tick: a stride on the way, or none at all where a wall is. How the walk ended; null while it goes on. */
    Result step(House house) {
        if (words != null && --wordsLeft == 0) {
            hush();
        }
        return walk == null ? null : stride(house);
    }

    private Result stride(House house) {
        double left = STRIDE;
        while (!way.isEmpty() && left > 0) {
            double[] goal = way.peek();
            double dx = goal[0] - x;
            double dy = goal[1] - y;
            double far = Math.hypot(dx, dy);
            boolean arrives = far <= left;
            double toX = arrives ? goal[0] : x + dx * left / far;
            double toY = arrives ? goal[1] : y + dy * left / far;
            if (!house.isFree(toX, toY)) {
                return hasMoved ? Result.partial(Reason.BLOCKED) : Result.failure(Reason.BLOCKED);
            }
            left -= Math.min(far, left);
            if (arrives) {
                way.remove();
            }
            x = toX;
            y = toY;
            if (far > 0) {
                hasMoved = true;
                entity.refreshPosition(at(yaw(dx, dy)));
            }
        }
        return way.isEmpty() ? Result.success() : null;
    }

    void look(double atX, double atY) {
        if (atX != x || atY != y) {
            entity.refreshPosition(at(yaw(atX - x, atY - y)));
        }
    }

    /** Shows words above the head for as long as they take to read. */
    void say(String text) {
        hush();
        words = Label.carry(entity, Component.text(text), WORDS_HEIGHT);
        wordsLeft = Math.clamp(text.length(), SHORTEST_SPEECH, LONGEST_SPEECH);
    }

    private void hush() {
        if (words != null) {
            words.remove();
            words = null;
        }
    }

    void gesture(String manner) {
        Particle particle = switch (manner) {
            case "burst" -> Particle.ANGRY_VILLAGER;
            case "break" -> Particle.SPLASH;
            case "touch" -> Particle.HEART;
            case "slam" -> Particle.EXPLOSION;
            default -> Particle.NOTE;
        };
        entity.swingMainHand();
        Pos head = entity.getPosition().add(0, EYES, 0);
        entity.sendPacketToViewers(new ParticlePacket(particle, head, new Vec(0.4, 0.3, 0.4), 0, 12));
    }

    void leave() {
        hush();
        entity.remove();
    }

    private Pos at(float yaw) {
        return House.toGame(x, y).withView(yaw, 0);
    }

    private static float yaw(double dx, double dy) {
        return (float) Math.toDegrees(Math.atan2(-dx, dy));
    }
}
