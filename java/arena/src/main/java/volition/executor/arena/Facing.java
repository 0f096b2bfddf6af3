package volition.executor.arena;

import java.util.Locale;

/** The four directions; a turn to the right is the next one. */
enum Facing {
    EAST(1, 0), SOUTH(0, 1), WEST(-1, 0), NORTH(0, -1);

    private static final Facing[] ALL = values();

    final int dx;
    final int dy;
    final String word = name().toLowerCase(Locale.ROOT);

    Facing(int dx, int dy) {
        this.dx = dx;
        this.dy = dy;
    }

    /** The direction of a vector: that of its longer component, and of x where both are equally long. */
    static Facing toward(int dx, int dy) {
        if (Math.abs(dx) >= Math.abs(dy)) {
            return dx >= 0 ? EAST : WEST;
        }
        return dy > 0 ? SOUTH : NORTH;
    }

    /** The direction after this many turns to the right, counted from east. */
    static Facing at(int turns) {
        return ALL[turns & 3];
    }

    Facing back() {
        return at(ordinal() + 2);
    }

    /** Whether a vector points into the quarter that a body faces. */
    boolean isAhead(int toX, int toY) {
        return Math.abs(toX * dy) + Math.abs(toY * dx) <= toX * dx + toY * dy;
    }
}
