package volition.executor.arena;

import java.util.List;

/**
 * The ground of an arena: tiles, and where a point may go on them. A place is (x, y) in milli-tiles from the top left
 * corner of the map, x to the right and y down; beyond the edge all is wall.
 */
final class Ground {
    static final char WALL = '#';
    static final char FLOOR = '.';
    static final char HAZARD = '~';
    static final char BEAM = '-';

    final String name;
    final List<String> rows;
    /** The places where the actor may start, row by row from the left; the seed chooses. */
    final List<int[]> actorStarts;
    /** The places where the opponent may start and return, likewise. */
    final List<int[]> opponentStarts;

    /** Rows of walls, floor, hazards and beams, and where both bodies may start; see {@link MapText}. */
    Ground(String name, List<String> rows, List<int[]> actorStarts, List<int[]> opponentStarts) {
        this.name = name;
        this.rows = rows;
        this.actorStarts = actorStarts;
        this.opponentStarts = opponentStarts;
    }

    char tile(int x, int y) {
        int column = Math.floorDiv(x, Rules.TILE);
        int row = Math.floorDiv(y, Rules.TILE);
        boolean inside = row >= 0 && row < rows.size() && column >= 0 && column < rows.get(0).length();
        return inside ? rows.get(row).charAt(column) : WALL;
    }

    boolean contains(int x, int y) {
        return x >= 0 && x < rows.get(0).length() * Rules.TILE && y >= 0 && y < rows.size() * Rules.TILE;
    }

    /**
     * Whether a point at (x, y) may move by less than a tile: no tile that it meets is a wall or the other closed kind. A
     * step into a diagonal neighbour needs both tiles beside the corner too, so that no corner is cut.
     */
    boolean passable(int x, int y, int dx, int dy, char closed) {
        return isOpen(x + dx, y + dy, closed) && isOpen(x + dx, y, closed) && isOpen(x, y + dy, closed);
    }

    /** Whether no wall is between two places; the line is sampled in equal parts. */
    boolean clear(int x, int y, int toX, int toY) {
        int dx = toX - x;
        int dy = toY - y;
        for (int part = 1; part < Rules.SIGHT_PARTS; part++) {
            int atX = x + Math.floorDiv(dx * part, Rules.SIGHT_PARTS);
            int atY = y + Math.floorDiv(dy * part, Rules.SIGHT_PARTS);
            if (tile(atX, atY) == WALL) {
                return false;
            }
        }
        return true;
    }

    static boolean within(int dx, int dy, int reach) {
        return (long) dx * dx + (long) dy * dy <= (long) reach * reach;
    }

    private boolean isOpen(int x, int y, char closed) {
        char tile = tile(x, y);
        return tile != WALL && tile != closed;
    }

    /** The place in the middle of a tile. */
    static int[] centre(int column, int row) {
        return new int[] {column * Rules.TILE + Rules.TILE / 2, row * Rules.TILE + Rules.TILE / 2};
    }
}
