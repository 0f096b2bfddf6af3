package volition.bodies.minestom;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.minestom.server.coordinate.Pos;
import net.minestom.server.instance.Instance;
import net.minestom.server.instance.block.Block;

/**
 * The arena's courtyard as blocks. Places are in the arena's axes: x east, y south, z up, in milli-tiles from the top left
 * corner of the map; the game has x east, y up and z south. A tile is one block, and z is 0 on the floor. What is asked of the
 * yard is read from the blocks, so that whatever was dug or placed counts.
 */
final class Yard {
    static final int TILE = 1000;
    /** The height in the game at which a body on the floor stands. */
    static final int FLOOR = 40;
    /** Walls are higher than a body can jump. */
    static final int WALL_HEIGHT = 3;
    static final String NAME = "courtyard";

    private static final String RESOURCE = "/volition/executor/arena/courtyard.txt";
    /** A gate without a fence, open at first, and a flower: something to use and to dig near the hero's start. */
    private static final int[] GATE = {4, 3};
    private static final int[] FLOWER = {4, 1};
    private static final Block OPEN_GATE = Block.OAK_FENCE_GATE.withProperty("open", "true");

    private final Instance instance;
    private final List<String> plan;

    Yard(Instance instance) {
        this.instance = instance;
        plan = plan();
        for (int x = 0; x <= plan.getFirst().length() >> 4; x++) {
            for (int z = 0; z <= plan.size() >> 4; z++) {
                instance.loadChunk(x, z).join();
            }
        }
        build();
    }

    private static List<String> plan() {
        try (InputStream stream = Yard.class.getResourceAsStream(RESOURCE)) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> line.startsWith("#")).toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Puts every block where it was at the beginning. */
    void build() {
        for (int row = 0; row < plan.size(); row++) {
            for (int column = 0; column < plan.getFirst().length(); column++) {
                char tile = plan.get(row).charAt(column);
                boolean border = row == 0 || column == 0 || row == plan.size() - 1 || column == plan.getFirst().length() - 1;
                instance.setBlock(column, FLOOR - 1, row, tile == '~' ? Block.MAGMA_BLOCK : Block.SMOOTH_STONE);
                for (int z = 0; z < WALL_HEIGHT; z++) {
                    Block wall = border ? Block.BEDROCK : Block.STONE_BRICKS;
                    boolean beam = tile == '-' && z == WALL_HEIGHT - 1;
                    instance.setBlock(column, FLOOR + z, row, tile == '#' ? wall : beam ? Block.OAK_PLANKS : Block.AIR);
                }
            }
        }
        instance.setBlock(GATE[0], FLOOR, GATE[1], OPEN_GATE);
        instance.setBlock(FLOWER[0], FLOOR, FLOWER[1], Block.POPPY);
    }

    /** The places in the middle of the tiles with this sign on the map, row by row. */
    List<int[]> starts(char sign) {
        List<int[]> found = new ArrayList<>();
        for (int row = 0; row < plan.size(); row++) {
            for (int column = 0; column < plan.getFirst().length(); column++) {
                if (plan.get(row).charAt(column) == sign) {
                    found.add(new int[] {column * TILE + TILE / 2, row * TILE + TILE / 2});
                }
            }
        }
        return found;
    }

    /** The map as it is now. */
    List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < plan.size(); row++) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < plan.getFirst().length(); column++) {
                text.append(tile(column, row));
            }
            rows.add(text.toString());
        }
        return rows;
    }

    /** What a tile is now: # where a body cannot stand, ~ a hazard, - below a beam, . free. */
    char tile(int column, int row) {
        if (!isOnMap(column, row) || isSolid(column, row, 0) || isSolid(column, row, 1)) {
            return '#';
        }
        if (instance.getBlock(column, FLOOR - 1, row).compare(Block.MAGMA_BLOCK)) {
            return '~';
        }
        return isSolid(column, row, 2) ? '-' : '.';
    }

    char tileAt(int x, int y) {
        return tile(Math.floorDiv(x, TILE), Math.floorDiv(y, TILE));
    }

    boolean isOnMap(int column, int row) {
        return row >= 0 && row < plan.size() && column >= 0 && column < plan.getFirst().length();
    }

    /** Whether a block keeps a body out. */
    boolean isSolid(int column, int row, int z) {
        Block block = block(column, row, z);
        return block.isSolid() && !isOpenGate(block);
    }

    Block block(int column, int row, int z) {
        return instance.getBlock(column, FLOOR + z, row);
    }

    void set(int column, int row, int z, Block block) {
        instance.setBlock(column, FLOOR + z, row, block);
    }

    static boolean isGate(Block block) {
        return block.compare(Block.OAK_FENCE_GATE);
    }

    static boolean isOpenGate(Block block) {
        return isGate(block) && "true".equals(block.getProperty("open"));
    }

    /** Whether no wall is between two places; the line is sampled in equal parts, as in the arena. */
    boolean isClear(int x, int y, int toX, int toY) {
        for (int part = 1; part < 32; part++) {
            if (tileAt(x + Math.floorDiv((toX - x) * part, 32), y + Math.floorDiv((toY - y) * part, 32)) == '#') {
                return false;
            }
        }
        return true;
    }

    /** A place in the game's own axes. */
    static Pos toGame(int x, int y, double height) {
        return new Pos(x / (double) TILE, height, y / (double) TILE);
    }
}
