package volition.bodies.minestom;

import java.util.ArrayList;
import java.util.List;
import net.kyori.adventure.text.Component;
import net.minestom.server.coordinate.BlockVec;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.entity.Entity;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.instance.block.Block;

/**
 * The rooms of a stage as blocks: floors of planks, brick walls on the lines between rooms, gaps for doors, no roof, so that
 * whoever flies above sees in. Places are the stage's: x east, y south, in blocks; the game has x east, y up and z south. A wall
 * is centred on its line, so a place is half a block further east and south in the game.
 */
final class House {
    /** Where a place is that is in no room. */
    static final String OUTSIDE = "Outside";
    /** The height in the game at which a guest stands. */
    static final int FLOOR = 40;
    private static final int WALL_HEIGHT = 3;
    /** How far from the origin a house may reach, and how many blocks its floors may have: what a small server can bear. */
    private static final int FARTHEST = 512;
    private static final int LARGEST_FLOOR = 1 << 16;
    /** The chunks around a house in which people may stand and fly; beyond them is nothing. */
    private static final int MARGIN = 3;
    private static final double HALF_BODY = 0.3;
    /** From a door to where a body is clear of the wall. */
    private static final double THRESHOLD = 0.9;

    record Room(String name, double x, double y, double width, double height) {}

    record Door(double x, double y, double toX, double toY) {
        boolean isMiddle(double[] point) {
            return Math.hypot((x + toX) / 2 - point[0], (y + toY) / 2 - point[1]) < 1e-6;
        }

        /** The place squarely before the door, on the side where another point is; null where that is in the doorway's line. */
        double[] before(double[] middle, double[] other) {
            boolean inWallAlongX = Math.abs(toX - x) >= Math.abs(toY - y);
            double side = Math.signum(inWallAlongX ? other[1] - middle[1] : other[0] - middle[0]) * THRESHOLD;
            if (side == 0) {
                return null;
            }
            return inWallAlongX ? new double[] {middle[0], middle[1] + side} : new double[] {middle[0] + side, middle[1]};
        }
    }

    private final InstanceContainer instance;
    private final List<BlockVec> built = new ArrayList<>();
    private final List<Entity> signs = new ArrayList<>();
    private List<Room> rooms = List.of();
    private List<Door> doors = List.of();
    private volatile Pos view;

    /** An empty stage. People load no chunks: a house has those that it needs. */
    House(InstanceContainer instance) {
        this.instance = instance;
        instance.enableAutoChunkLoad(false);
        build(List.of(), List.of());
    }

    /** Whether the rooms are within what can be built. */
    static boolean canBuild(List<Room> rooms) {
        double floor = 0;
        for (Room room : rooms) {
            if (room.width < 1 || room.height < 1 || Math.abs(room.x) > FARTHEST || Math.abs(room.y) > FARTHEST
                || room.x + room.width > FARTHEST || room.y + room.height > FARTHEST) {
                return false;
            }
            floor += (room.width + 1) * (room.height + 1);
        }
        return floor <= LARGEST_FLOOR;
    }

    /** Builds these rooms in place of those before. */
    void build(List<Room> rooms, List<Door> doors) {
        this.rooms = rooms;
        this.doors = doors;
        built.forEach(at -> instance.setBlock(at, Block.AIR));
        built.clear();
        signs.forEach(Entity::remove);
        signs.clear();
        int west = 0;
        int north = 0;
        int east = 0;
        int south = 0;
        for (Room room : rooms) {
            west = Math.min(west, line(room.x));
            north = Math.min(north, line(room.y));
            east = Math.max(east, line(room.x + room.width));
            south = Math.max(south, line(room.y + room.height));
        }
        for (int x = (west >> 4) - MARGIN; x <= (east >> 4) + MARGIN; x++) {
            for (int z = (north >> 4) - MARGIN; z <= (south >> 4) + MARGIN; z++) {
                instance.loadChunk(x, z).join();
            }
        }
        rooms.forEach(this::build);
        doors.forEach(this::open);
        rooms.forEach(room -> signs.add(Label.put(instance, Component.text(room.name),
            toGame(room.x + room.width / 2, room.y + room.height / 2).add(0, WALL_HEIGHT + 1, 0))));
        double far = Math.max(east - west, south - north) * 0.5;
        view = new Pos((west + east) / 2.0, FLOOR + 6 + far, Math.min(south + 4 + far, south + 40), 180, 45);
    }

    private void build(Room room) {
        int toX = line(room.x + room.width);
        int toZ = line(room.y + room.height);
        for (int x = line(room.x); x <= toX; x++) {
            for (int z = line(room.y); z <= toZ; z++) {
                put(x, FLOOR - 1, z, Block.SPRUCE_PLANKS);
                if (x == line(room.x) || x == toX || z == line(room.y) || z == toZ) {
                    for (int height = 0; height < WALL_HEIGHT; height++) {
                        put(x, FLOOR + height, z, Block.BRICKS);
                    }
                }
            }
        }
        // Light in the floor: evenings are dark.
        put(line(room.x + room.width / 2), FLOOR - 1, line(room.y + room.height / 2), Block.SEA_LANTERN);
    }

    /** Takes the bricks of a door away; a door that is in no wall opens nothing. */
    private void open(Door door) {
        double length = Math.min(Math.hypot(door.toX - door.x, door.toY - door.y), FARTHEST);
        int steps = Math.max(1, (int) Math.ceil(length * 2));
        for (int step = 0; step <= steps; step++) {
            int x = line(door.x + (door.toX - door.x) * step / steps);
            int z = line(door.y + (door.toY - door.y) * step / steps);
            for (int height = 0; height < WALL_HEIGHT && instance.isChunkLoaded(x >> 4, z >> 4); height++) {
                instance.setBlock(x, FLOOR + height, z, Block.AIR);
            }
        }
    }

    private void put(int x, int y, int z, Block block) {
        instance.setBlock(x, y, z, block);
        built.add(new BlockVec(x, y, z));
    }

    /** A way with a step before and after each door: who goes through one slantwise would brush the wall. */
    List<double[]> throughDoors(double[] start, List<double[]> way) {
        List<double[]> squared = new ArrayList<>();
        for (int i = 0; i < way.size(); i++) {
            double[] point = way.get(i);
            Door door = doors.stream().filter(each -> each.isMiddle(point)).findFirst().orElse(null);
            double[] before = door == null ? null : door.before(point, i == 0 ? start : way.get(i - 1));
            double[] after = door == null || i + 1 == way.size() ? null : door.before(point, way.get(i + 1));
            if (before != null) {
                squared.add(before);
            }
            squared.add(point);
            if (after != null) {
                squared.add(after);
            }
        }
        return squared;
    }

    /** The name of the room that a place is in. */
    String roomAt(double x, double y) {
        return rooms.stream()
            .filter(room -> x >= room.x && x <= room.x + room.width && y >= room.y && y <= room.y + room.height)
            .map(Room::name)
            .findFirst()
            .orElse(OUTSIDE);
    }

    /** Whether a place is on the stage, where people can stand, walls or not. */
    boolean isOnStage(double x, double y) {
        return instance.isChunkLoaded(toGame(x, y));
    }

    /** Whether a body at a place touches no wall and is on the stage. */
    boolean isFree(double x, double y) {
        return isOpen(x - HALF_BODY, y - HALF_BODY) && isOpen(x + HALF_BODY, y - HALF_BODY)
            && isOpen(x - HALF_BODY, y + HALF_BODY) && isOpen(x + HALF_BODY, y + HALF_BODY);
    }

    private boolean isOpen(double x, double y) {
        return isOnStage(x, y) && !instance.getBlock(toGame(x, y)).isSolid();
    }

    /** Where the whole house is seen from; any thread may ask. */
    Pos view() {
        return view;
    }

    static Pos toGame(double x, double y) {
        return new Pos(x + 0.5, FLOOR, y + 0.5);
    }

    /** The block that a place of the stage is in. */
    private static int line(double place) {
        return (int) Math.floor(place + 0.5);
    }
}
