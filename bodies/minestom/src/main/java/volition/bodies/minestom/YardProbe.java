package volition.bodies.minestom;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import volition.executor.JsonWriter;
import volition.executor.Probe;

/** For tests: the truth about the yard, read from the creatures and blocks in it, and where a MOVE would lead. */
final class YardProbe implements Probe {
    private static final int NEAR = Hero.REACH * 4 / 5;
    private static final int NUDGE = Yard.TILE / 50;
    private static final int LONGEST = 6;
    private static final double PRECISION = 2.0 / Yard.TILE;
    private static final int WIDEST = 1 << 16;

    private final YardGame game;

    YardProbe(YardGame game) {
        this.game = game;
    }

    @Override
    public void write(JsonWriter out) {
        sight(out.object("sight"));
        ways(out);
        Creature foe = game.foe.body;
        BiPredicate<Integer, Integer> near = (x, y) -> Math.hypot(x - foe.x(), y - foe.y()) <= NEAR;
        int[] unharmed = route(near, false);
        vector(out, "to_target", unharmed != null ? unharmed : route(near, true));
        vector(out, "to_harm", route((x, y) -> game.yard.tileAt(x, y) == '~', true));
        vector(out, "face_target", turn(true));
        vector(out, "face_away", turn(false));
        out.field("precision", PRECISION);
    }

    private void sight(JsonWriter out) {
        Hero hero = game.hero;
        Creature body = hero.body;
        place(out.array("place"), body.x(), body.y(), body.z());
        out.field("alive", body.isAlive())
            .field("grounded", hero.air == 0)
            .field("busy", !game.open.isEmpty())
            .field("holding", false)
            .field("facing", body.facing.word)
            .field("health", body.health());
        out.array("cooling");
        name(out, "JUMP", hero.jumpWait > 0);
        name(out, "PRIMARY_ATTACK", hero.attackWait > 0);
        out.end().array("tired");
        name(out, "JUMP", hero.stamina < Hero.JUMP_COST);
        name(out, "PRIMARY_ATTACK", hero.stamina < Hero.ATTACK_COST);
        Creature foe = game.foe.body;
        out.end().object("target")
            .field("alive", foe.isAlive())
            .field("health", foe.health())
            .field("in_reach", foe.isAlive() && body.isWithin(Hero.REACH, foe.x(), foe.y()))
            .field("ahead", game.hits())
            .end();
        out.end();
    }

    private static void name(JsonWriter out, String intent, boolean applies) {
        if (applies) {
            out.value(intent);
        }
    }

    /** Straight ways over free ground, longest first, and those that end in a wall, shortest first. */
    private void ways(JsonWriter out) {
        int[] free = new int[4];
        for (Facing way : Facing.values()) {
            while (free[way.ordinal()] < LONGEST && isFree(way, free[way.ordinal()] + 1)) {
                free[way.ordinal()]++;
            }
        }
        out.array("ways");
        for (int length = LONGEST; length > 0; length--) {
            for (Facing way : Facing.values()) {
                if (length <= free[way.ordinal()]) {
                    place(out.array(), way.dx * length * Yard.TILE, way.dy * length * Yard.TILE, 0);
                }
            }
        }
        out.end().array("obstructed");
        for (int length = 1; length <= LONGEST + 1; length++) {
            for (Facing way : Facing.values()) {
                if (length == free[way.ordinal()] + 1 && tile(way, length) == '#') {
                    place(out.array(), way.dx * length * Yard.TILE, way.dy * length * Yard.TILE, 0);
                }
            }
        }
        out.end();
    }

    private boolean isFree(Facing way, int length) {
        char tile = tile(way, length);
        int far = length * Yard.TILE;
        return tile != '#' && tile != '~' && game.hero.body.isFree(way.dx * far, way.dy * far);
    }

    private char tile(Facing way, int length) {
        Creature body = game.hero.body;
        return game.yard.tileAt(body.x() + way.dx * length * Yard.TILE, body.y() + way.dy * length * Yard.TILE);
    }

    /** A short way after which the hero faces its target, or turns its back on it; null where none is free. */
    private int[] turn(boolean toTarget) {
        Creature body = game.hero.body;
        int dx = game.foe.body.x() - body.x();
        int dy = game.foe.body.y() - body.y();
        for (Facing way : Facing.values()) {
            int ahead = dx * way.dx + dy * way.dy;
            boolean faces = toTarget ? ahead == Math.max(Math.abs(dx), Math.abs(dy)) : ahead < 0;
            if (faces && body.isFree(way.dx * NUDGE, way.dy * NUDGE)) {
                return new int[] {way.dx * NUDGE, way.dy * NUDGE};
            }
        }
        return null;
    }

    /**
     * The first straight stretch of a shortest way over tiles to a place that the goal takes, over hazards too where
     * {@code harmed}; zero where this place is one, null where there is no way.
     */
    private int[] route(BiPredicate<Integer, Integer> goal, boolean harmed) {
        int x = game.hero.body.x();
        int y = game.hero.body.y();
        int start = Math.floorDiv(y, Yard.TILE) * WIDEST + Math.floorDiv(x, Yard.TILE);
        Map<Integer, Integer> cameFrom = new HashMap<>(Map.of(start, start));
        Deque<Integer> queue = new ArrayDeque<>(cameFrom.keySet());
        while (!queue.isEmpty()) {
            int here = queue.remove();
            if (here == start ? goal.test(x, y) : goal.test(middle(here % WIDEST), middle(here / WIDEST))) {
                return here == start ? new int[] {0, 0} : stretch(cameFrom, start, here, x, y);
            }
            for (Facing way : Facing.values()) {
                int next = here + way.dy * WIDEST + way.dx;
                char tile = game.yard.tile(next % WIDEST, next / WIDEST);
                if (tile != '#' && (harmed || tile != '~') && cameFrom.putIfAbsent(next, here) == null) {
                    queue.add(next);
                }
            }
        }
        return null;
    }

    /** To the middle of the tile at which the way first turns: from there its next stretch is free too. */
    private static int[] stretch(Map<Integer, Integer> cameFrom, int start, int end, int x, int y) {
        int corner = end;
        int step = 0;
        for (int here = end; here != start; here = cameFrom.get(here)) {
            int last = here - cameFrom.get(here);
            if (last != step) {
                corner = here;
                step = last;
            }
        }
        return new int[] {middle(corner % WIDEST) - x, middle(corner / WIDEST) - y};
    }

    private static int middle(int tile) {
        return tile * Yard.TILE + Yard.TILE / 2;
    }

    private static void vector(JsonWriter out, String key, int[] way) {
        if (way != null) {
            place(out.array(key), way[0], way[1], 0);
        }
    }

    private static void place(JsonWriter out, int x, int y, int z) {
        double tile = Yard.TILE;
        out.value(x / tile).value(y / tile).value(z / tile).end();
    }
}
