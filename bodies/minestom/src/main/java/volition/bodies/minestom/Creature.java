package volition.bodies.minestom;

import net.kyori.adventure.text.Component;
import net.minestom.server.collision.CollisionUtils;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.coordinate.Vec;
import net.minestom.server.entity.EntityCreature;
import net.minestom.server.entity.EntityType;
import net.minestom.server.instance.Instance;

/** A body in the yard: where it is, which way it looks, its health. It stands in the game as a creature, and obeys its physics. */
final class Creature {
    static final int HEALTH = 100;
    /** The pilot and the arena's rules take bodies for points. */
    private static final double WIDTH = 0.05;
    private static final double HEIGHT = 1.95;
    /** In blocks per second: it rises 1.25 blocks. */
    private static final Vec JUMP = new Vec(0, 8.4, 0);

    final EntityCreature entity;
    private final String name;
    Facing facing;
    int velocityX;
    int velocityY;
    private int health;

    Creature(String name, EntityType type, Instance instance) {
        this.name = name;
        entity = new EntityCreature(type);
        entity.setBoundingBox(WIDTH, HEIGHT, WIDTH);
        entity.setCustomNameVisible(true);
        entity.setInstance(instance, Yard.toGame(Yard.TILE, Yard.TILE, Yard.FLOOR)).join();
    }

    /** Puts it on the floor, well and visible. */
    void begin(int[] place, Facing facing) {
        this.facing = facing;
        rest();
        entity.setVelocity(Vec.ZERO);
        entity.refreshPosition(Yard.toGame(place[0], place[1], Yard.FLOOR).withView(facing.yaw, 0));
        entity.setInvisible(false);
        setHealth(HEALTH);
    }

    int x() {
        return (int) Math.round(entity.getPosition().x() * Yard.TILE);
    }

    int y() {
        return (int) Math.round(entity.getPosition().z() * Yard.TILE);
    }

    /** How far above the floor it is. */
    int z() {
        return (int) Math.round((entity.getPosition().y() - Yard.FLOOR) * Yard.TILE);
    }

    /** The physics knows where it stands only once it has moved it, but on the floor nobody falls. */
    boolean isOnGround() {
        return entity.isOnGround() || z() == 0;
    }

    int health() {
        return health;
    }

    boolean isAlive() {
        return health > 0;
    }

    /** Loses health, never more than there is; what it lost. */
    int hurt(int damage) {
        int lost = Math.min(damage, health);
        setHealth(health - lost);
        if (health == 0) {
            rest();
            entity.setInvisible(true);
        }
        return lost;
    }

    private void setHealth(int health) {
        this.health = health;
        entity.setCustomName(Component.text(name + " " + health));
    }

    void rest() {
        velocityX = velocityY = 0;
    }

    void turn(Facing facing) {
        this.facing = facing;
        entity.refreshPosition(entity.getPosition().withView(facing.yaw, 0));
    }

    void jump() {
        entity.setVelocity(JUMP);
    }

    /** Takes back a jump that has not left the ground. */
    void stay() {
        if (isOnGround()) {
            entity.setVelocity(Vec.ZERO);
        }
    }

    /** Whether nothing solid is on a straight way over the ground. */
    boolean isFree(int dx, int dy) {
        Vec way = new Vec(dx / (double) Yard.TILE, 0, dy / (double) Yard.TILE);
        var met = CollisionUtils.handlePhysics(entity, way, null);
        return !met.collisionX() && !met.collisionZ();
    }

    /** Goes by less than a tile: the whole step, or none where something is in the way. */
    boolean step(int dx, int dy) {
        if (!isFree(dx, dy)) {
            rest();
            return false;
        }
        Pos here = entity.getPosition();
        entity.refreshPosition(Yard.toGame(x() + dx, y() + dy, here.y()).withView(facing.yaw, 0));
        velocityX = dx;
        velocityY = dy;
        return true;
    }

    /** Whether it is within this distance of a place. */
    boolean isWithin(int reach, int toX, int toY) {
        long dx = toX - x();
        long dy = toY - y();
        return dx * dx + dy * dy <= (long) reach * reach;
    }
}
