package volition.executor;

import java.util.function.Consumer;

/** How a server runs. The defaults are right for a game on the bridge's own machine. */
public final class Options {
    String token;
    boolean remote;
    int maxInflight = 8;
    int resultCache = 1024;
    int maxFrame = Frames.MAX_FRAME;
    long handshake = 5_000_000_000L;
    long idle = 1_000_000_000L;
    long dead = 3_000_000_000L;
    Probe probe;
    RequestMemory requests;
    Consumer<RuntimeException> trouble = RuntimeException::printStackTrace;

    /** The token that a bridge must present; without one, every program on this machine may drive the game. */
    public Options token(String token) {
        this.token = token == null || token.isEmpty() ? null : token;
        return this;
    }

    /** Listen beyond this machine too. Frames are not encrypted: set a token, and consider the network. */
    public Options allowRemote() {
        remote = true;
        return this;
    }

    /** How many intents, without STOP, may be open at once: 1 to 4096. */
    public Options maxInflight(int count) {
        maxInflight = within("maxInflight", count, 1, 4096);
        return this;
    }

    /** How many results are remembered for repeated ids: 1 to 2^20. */
    public Options resultCache(int count) {
        resultCache = within("resultCache", count, 1, 1 << 20);
        return this;
    }

    /** How long a line may be, in bytes: 1024 to 2^20. */
    public Options maxFrame(int bytes) {
        maxFrame = within("maxFrame", bytes, 1024, Frames.MAX_FRAME);
        return this;
    }

    /** For tests: offer the feature {@code probe}, with the truth about the world. A game that people play does not. */
    public Options probe(Probe probe) {
        this.probe = probe;
        return this;
    }

    /** Offer the feature {@code requests}: what was done for a request is remembered, and no request is done twice. */
    public Options requests(RequestMemory memory) {
        requests = memory;
        return this;
    }

    /** Gets exceptions that the game throws; by default they are printed to standard error. The attempt fails. */
    public Options onTrouble(Consumer<RuntimeException> listener) {
        trouble = listener;
        return this;
    }

    private static int within(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + ", not from " + least + " to " + most);
        }
        return value;
    }
}
