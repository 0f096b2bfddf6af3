package volition.executor.arena;

/** Randomness as a pure function of the seed and the tick: the same 64 bits in every implementation. */
final class Chance {
    private Chance() {}

    static long word(long seed, long tick) {
        long start = 0x243F6A8885A308D3L + seed * 0x9E3779B97F4A7C15L;
        return mix(mix(mix(mix(start) + tick * 0x6A09E667F3BCC909L)));
    }

    private static long mix(long bits) {
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }
}
