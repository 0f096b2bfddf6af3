package volition.executor.arena;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Shortest ways over tiles from one place on the ground. */
final class Route {
    /** Whether a way may end at a place. */
    interface Goal {
        boolean isAt(int x, int y);
    }

    private static final int WIDEST = 1 << 16;

    private final Ground ground;
    private final int x;
    private final int y;

    Route(Ground ground, int x, int y) {
        this.ground = ground;
        this.x = x;
        this.y = y;
    }

    /**
     * The first straight stretch of a shortest way to the middle of a tile that the goal takes, over hazards too where
     * {@code harmed}; zero where the goal accepts this place, null where there is no way.
     */
    int[] to(Goal goal, boolean harmed) {
        int start = Math.floorDiv(y, Rules.TILE) * WIDEST + Math.floorDiv(x, Rules.TILE);
        Map<Integer, Integer> cameFrom = new HashMap<>(Map.of(start, start));
        Deque<Integer> queue = new ArrayDeque<>(cameFrom.keySet());
        while (!queue.isEmpty()) {
            int here = queue.remove();
            if (here == start ? goal.isAt(x, y) : goal.isAt(middle(column(here)), middle(row(here)))) {
                return stretch(cameFrom, start, here);
            }
            for (Facing way : Facing.values()) {
                int next = here + way.dy * WIDEST + way.dx;
                char tile = ground.tile(column(next) * Rules.TILE, row(next) * Rules.TILE);
                boolean open = tile != Ground.WALL && (harmed || tile != Ground.HAZARD);
                if (open && cameFrom.putIfAbsent(next, here) == null) {
                    queue.add(next);
                }
            }
        }
        return null;
    }

    /** From here to the middle of the tile at which the way first turns: from there its next stretch is free too. */
    private int[] stretch(Map<Integer, Integer> cameFrom, int start, int end) {
        int corner = end;
        int step = 0;
        for (int here = end; here != start; here = cameFrom.get(here)) {
            int last = here - cameFrom.get(here);
            if (last != step) {
                corner = here;
                step = last;
            }
        }
        return end == start
            ? new int[] {0, 0} : new int[] {middle(column(corner)) - x, middle(row(corner)) - y};
    }

    private static int column(int tile) {
        return tile % WIDEST;
    }

    private static int row(int tile) {
        return tile / WIDEST;
    }

    private static int middle(int tile) {
        return tile * Rules.TILE + Rules.TILE / 2;
    }
}
