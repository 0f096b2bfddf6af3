package volition.executor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

/** What a game is and can do, as it goes into the welcome. Begin with {@link #game} and change what differs. */
public final class About {
    final String name;
    final String version;
    String engine = "none";
    double tickHz;
    String clockUnit = "tick";
    String clockEpoch = "engine_start";
    final EnumSet<Intent> intents = EnumSet.allOf(Intent.class);
    boolean doubleJump;
    boolean absolute;
    boolean endsOverdue;
    String schemaName;
    String schemaVersion;
    String schemaHash;
    String unit;
    String up;
    String handed;
    double tolerance;
    int coastMs;
    final List<String> features = new ArrayList<>(List.of("events", "next_state", "progress", "state_push"));

    private About(String name, String version) {
        this.name = name;
        this.version = version;
        schema(name, version, name + "-" + version);
    }

    /** A game by its name and version. */
    public static About game(String name, String version) {
        return new About(named(name), version);
    }

    /** The engine that the game runs in. */
    public About engine(String engine) {
        this.engine = engine;
        return this;
    }

    /** How often the world ticks by itself; 0, the default, is a world that moves only when acted upon. */
    public About tickHz(double hz) {
        if (!(hz >= 0 && hz <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException("tick_hz is a finite number from 0 up, not " + hz);
        }
        tickHz = hz;
        return this;
    }

    /** What {@link Executor#timestamp} counts: unit ns, us, ms, s or tick; epoch unix, engine_start or episode_start. */
    public About clock(String unit, String epoch) {
        if (!List.of("ns", "us", "ms", "s", "tick").contains(unit)
            || !List.of("unix", "engine_start", "episode_start").contains(epoch)) {
            throw new IllegalArgumentException("a clock of " + unit + " since " + epoch);
        }
        clockUnit = unit;
        clockEpoch = epoch;
        return this;
    }

    /** The intents that the game cannot attempt. STOP cannot be left out. */
    public About without(Intent... missing) {
        if (Arrays.asList(missing).contains(Intent.STOP)) {
            throw new IllegalArgumentException("every game can STOP");
        }
        intents.removeAll(Arrays.asList(missing));
        return this;
    }

    /** The actor can jump in mid-air. */
    public About doubleJump() {
        doubleJump = true;
        return this;
    }

    /** The vector of a MOVE is a place in the world; otherwise it is relative to the actor. */
    public About absoluteMoves() {
        absolute = true;
        return this;
    }

    /**
     * The game itself ends attempts whose time is over, in its own ticks say; otherwise the server makes the game
     * {@link Executor#cancel} it then.
     */
    public About endsOverdue() {
        endsOverdue = true;
        return this;
    }

    /** What the described states look like: a bridge that asks for another hash is refused. */
    public About schema(String name, String version, String hash) {
        schemaName = named(name);
        schemaVersion = version;
        schemaHash = named(hash);
        return this;
    }

    /**
     * How states, probes and MOVE's vectors tell places: in {@code metre} or {@code tile}, with the axis {@code x},
     * {@code y} or {@code z} pointing up, in a {@code right}- or {@code left}-handed system. Minecraft's are
     * {@code places("metre", "y", "right")}.
     */
    public About places(String unit, String up, String handed) {
        if (!List.of("metre", "tile").contains(unit) || !List.of("x", "y", "z").contains(up)
            || !List.of("right", "left").contains(handed)) {
            throw new IllegalArgumentException("places in " + unit + ", " + up + " up, " + handed + "-handed");
        }
        this.unit = unit;
        this.up = up;
        this.handed = handed;
        return this;
    }

    /**
     * How exactly places are told, for a game with inertia: places that are no further apart than {@code tolerance}
     * are the same, and the actor may coast for {@code coastMs} after whatever moved it has ended. Both are 0 where
     * this is not called. Needs {@link #places}.
     */
    public About tolerance(double tolerance, int coastMs) {
        if (unit == null) {
            throw new IllegalArgumentException("a tolerance of places in an unknown unit: say places() first");
        }
        if (!(tolerance >= 0 && tolerance <= 1) || coastMs < 0 || coastMs > Frames.LONGEST_COAST) {
            throw new IllegalArgumentException(
                "a tolerance is from 0 to 1 and coasting from 0 to " + Frames.LONGEST_COAST + " ms, not " + tolerance
                    + " and " + coastMs);
        }
        this.tolerance = tolerance;
        this.coastMs = coastMs;
        return this;
    }

    /** Results are sent without the state after them: for states that are expensive to describe. */
    public About withoutNextState() {
        features.remove("next_state");
        return this;
    }

    private static String named(String name) {
        if (name.isEmpty() || name.codePointCount(0, name.length()) > 200) {
            throw new IllegalArgumentException("a name has 1 to 200 characters");
        }
        return name;
    }
}
