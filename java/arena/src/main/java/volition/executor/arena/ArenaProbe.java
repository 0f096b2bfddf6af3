package volition.executor.arena;

import volition.executor.JsonWriter;
import volition.executor.Probe;

/** For tests: the truth about an arena, and where a MOVE would lead; places are in tiles. */
final class ArenaProbe implements Probe {
    private static final String[] PRICED = {"EVADE", "JUMP", "PRIMARY_ATTACK"};
    private static final int NEAR = Rules.ATTACK_REACH * 4 / 5;
    private static final int NUDGE = Rules.TILE / 50;
    private static final int LONGEST = 6;
    /** Places are whole milli-tiles, and a way may end one of them off. */
    private static final double PRECISION = 2.0 / Rules.TILE;

    private final Arena arena;

    ArenaProbe(Arena arena) {
        this.arena = arena;
    }

    @Override
    public void write(JsonWriter out) {
        sight(out.object("sight"));
        ways(out);
        Actor actor = arena.actor;
        Opponent opponent = arena.opponent;
        Route route = new Route(arena.ground, actor.x, actor.y);
        Route.Goal near = (x, y) -> Ground.within(x - opponent.x, y - opponent.y, NEAR);
        int[] unharmed = route.to(near, false);
        vector(out, "to_target", unharmed != null ? unharmed : route.to(near, true));
        vector(out, "to_harm", route.to((x, y) -> arena.ground.tile(x, y) == Ground.HAZARD, true));
        vector(out, "face_target", turn(true));
        vector(out, "face_away", turn(false));
        out.field("precision", PRECISION);
    }

    private void sight(JsonWriter out) {
        Actor actor = arena.actor;
        place(out.array("place"), actor.x, actor.y, actor.z);
        out.field("alive", actor.isAlive())
            .field("grounded", actor.air == 0)
            .field("busy", actor.dashing || !arena.busy.open.isEmpty())
            .field("holding", actor.holding)
            .field("facing", actor.facing.word)
            .field("health", actor.health);
        out.array("cooling");
        for (String intent : PRICED) {
            if (Checks.wait(intent, actor) > 0) {
                out.value(intent);
            }
        }
        out.end().array("tired");
        for (String intent : PRICED) {
            if (actor.stamina < Checks.price(intent)) {
                out.value(intent);
            }
        }
        target(out.end().object("target"));
        out.end();
    }

    private void target(JsonWriter out) {
        Actor actor = arena.actor;
        Opponent opponent = arena.opponent;
        int dx = opponent.x - actor.x;
        int dy = opponent.y - actor.y;
        boolean ahead = actor.facing.isAhead(dx, dy);
        out.field("alive", opponent.isAlive())
            .field("health", opponent.health)
            .field("in_reach", opponent.isAlive() && Ground.within(dx, dy, Rules.ATTACK_REACH))
            .field("ahead", ahead && arena.ground.clear(actor.x, actor.y, opponent.x, opponent.y))
            .end();
    }

    /** Straight ways over free ground, longest first, and those that end in a wall, shortest first. */
    private void ways(JsonWriter out) {
        int[] free = new int[4];
        for (Facing way : Facing.values()) {
            while (free[way.ordinal()] < LONGEST && isFree(tile(way, free[way.ordinal()] + 1))) {
                free[way.ordinal()]++;
            }
        }
        out.array("ways");
        for (int length = LONGEST; length > 0; length--) {
            for (Facing way : Facing.values()) {
                if (length <= free[way.ordinal()]) {
                    place(out.array(), way.dx * length * Rules.TILE, way.dy * length * Rules.TILE, 0);
                }
            }
        }
        out.end().array("obstructed");
        for (int length = 1; length <= LONGEST + 1; length++) {
            for (Facing way : Facing.values()) {
                if (length == free[way.ordinal()] + 1 && tile(way, length) == Ground.WALL) {
                    place(out.array(), way.dx * length * Rules.TILE, way.dy * length * Rules.TILE, 0);
                }
            }
        }
        out.end();
    }

    /** A short way after which the actor faces its target, or turns its back on it; null where none is free. */
    private int[] turn(boolean toTarget) {
        Actor actor = arena.actor;
        int dx = arena.opponent.x - actor.x;
        int dy = arena.opponent.y - actor.y;
        for (Facing way : Facing.values()) {
            int ahead = dx * way.dx + dy * way.dy;
            boolean faces = toTarget ? ahead == Math.max(Math.abs(dx), Math.abs(dy)) : ahead < 0;
            if (faces && isFree(arena.ground.tile(actor.x + way.dx * NUDGE, actor.y + way.dy * NUDGE))) {
                return new int[] {way.dx * NUDGE, way.dy * NUDGE};
            }
        }
        return null;
    }

    private char tile(Facing way, int length) {
        return arena.ground.tile(
            arena.actor.x + way.dx * length * Rules.TILE, arena.actor.y + way.dy * length * Rules.TILE);
    }

    private static boolean isFree(char tile) {
        return tile == Ground.FLOOR || tile == Ground.BEAM;
    }

    private static void vector(JsonWriter out, String key, int[] way) {
        if (way != null) {
            place(out.array(key), way[0], way[1], 0);
        }
    }

    private static void place(JsonWriter out, int x, int y, int z) {
        double tile = Rules.TILE;
        out.value(x / tile).value(y / tile).value(z / tile).end();
    }
}
