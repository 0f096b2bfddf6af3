package volition.executor.arena;

/**
 * Randomness as a pure function of the seed, the tick since it was set, and what is drawn: the same numbers in every
 * implementation.
 */
final class Chance {
    static final int PATROL_TURN = 0;
    static final int RECOVERY = 1;
    static final int ACTOR_START = 2;
    static final int OPPONENT_START = 3;

    private Chance() {}

    /** One of the numbers below {@code count}, all equally likely. */
    static int draw(long seed, long tick, int purpose, int count) {
        return (int) ((word(seed, tick, purpose) >>> 32) * count >>> 32);
    }

    private static long word(long seed, long tick, int purpose) {
        long start = 0x243F6A8885A308D3L + seed * 0x9E3779B97F4A7C15L;
        return mix(mix(mix(mix(start) + tick * 0x6A09E667F3BCC909L)) + purpose * 0x3C6EF372FE94F82BL);
    }

    private static long mix(long bits) {
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }
}
