package volition.bodies.minestom;

import java.util.Locale;

/** The four directions in which a body looks, in the order of quarter turns to the right. */
enum Facing {
    EAST(1, 0, -90), SOUTH(0, 1, 0), WEST(-1, 0, 90), NORTH(0, -1, 180);

    final int dx;
    final int dy;
    /** The same direction as the game's yaw, in degrees. */
    final float yaw;
    final String word = name().toLowerCase(Locale.ROOT);

    Facing(int dx, int dy, float yaw) {
        this.dx = dx;
        this.dy = dy;
        this.yaw = yaw;
    }

    /** The direction of a vector: that of its longer part, east or west where both are equal. */
    static Facing toward(int dx, int dy) {
        if (Math.abs(dx) >= Math.abs(dy)) {
            return dx >= 0 ? EAST : WEST;
        }
        return dy > 0 ? SOUTH : NORTH;
    }

    /** Whether a vector points into the quarter ahead. */
    boolean isAhead(int x, int y) {
        int along = x * dx + y * dy;
        return along >= Math.abs(x * dy) + Math.abs(y * dx);
    }
}
