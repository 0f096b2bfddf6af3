package volition.executor;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One intent for the game to attempt, once. The game ends it with {@link #finish} (or {@link #succeed}, {@link #fail}),
 * at once or in a later tick; until then it is open. A STOP, a reset or the loss of the bridge ends what was
 * open before: {@link #isOpen} says so, and finishing such an attempt has no effect.
 *
 * <p>Any thread may call any method. What other threads than the server's report is processed at the next
 * {@link ExecutorServer#tick}, {@link ExecutorServer#push} or {@link ExecutorServer#tell}, and a server that
 * sleeps in {@link ExecutorServer#await} is woken by it.
 */
public final class IncomingIntent {
    /** Where the result of an attempt goes; a test of a game can provide its own. */
    public interface Desk {
        /** Takes the one result of an attempt. */
        void finish(IncomingIntent attempt, Result result);

        /** Takes the progress of an attempt: a share from 0 to 1. */
        default void progress(IncomingIntent attempt, double done) {}

        /** Whether the time of an attempt is over. */
        default boolean isOverdue(IncomingIntent attempt) {
            return false;
        }

        /** How much of the time of an attempt is left, in milliseconds. */
        default long remainingMs(IncomingIntent attempt) {
            return Long.MAX_VALUE;
        }
    }

    enum Stage { WAITING, STARTED, GONE }

    private static final double[] BARE = {};

    final long expires;
    /** The newest progress from another thread that was not sent yet; null where there is none. */
    final AtomicReference<Double> progressDue = new AtomicReference<>();
    long startedAt;
    /** Whether the game was asked to end it because its time is over. */
    boolean givenUp;
    volatile Stage stage = Stage.WAITING;
    /** The request that it is for; null where there is none, or nothing is remembered. */
    RequestMark mark;
    /** The attempt for the same request whose result this one waits for; null where it is attempted itself. */
    IncomingIntent first;

    private final long id;
    private final Intent intent;
    private final double[] vector;
    private final OwnIntent own;
    private final Parameters parameters;
    private final String agent;
    private final long basedOn;
    private final long ttlMs;
    private final Desk desk;
    private final AtomicBoolean given = new AtomicBoolean();

    IncomingIntent(
        long id, Intent intent, double[] vector, OwnIntent own, Parameters parameters, String agent, long basedOn,
        long ttlMs, long expires, Desk desk) {
        this.id = id;
        this.intent = intent;
        this.vector = vector;
        this.own = own;
        this.parameters = parameters;
        this.agent = agent;
        this.basedOn = basedOn;
        this.ttlMs = ttlMs;
        this.expires = expires;
        this.desk = desk;
    }

    /** An intent as it arrived at {@code now}; a STOP does not expire. */
    static IncomingIntent of(JsonObject frame, Intent intent, double[] vector, long now, Desk desk) {
        return of(frame, intent, vector, null, Parameters.NONE, now, desk);
    }

    /** A declared intent as it arrived at {@code now}. */
    static IncomingIntent of(JsonObject frame, OwnIntent own, long now, Desk desk) {
        return of(frame, null, BARE, own, Parameters.of((JsonObject) frame.get("parameters")), now, desk);
    }

    private static IncomingIntent of(
        JsonObject frame, Intent intent, double[] vector, OwnIntent own, Parameters parameters, long now, Desk desk) {
        long ttlMs = frame.integer("ttl_ms", 0);
        long expires = intent == Intent.STOP ? Long.MAX_VALUE : now + ttlMs * 1_000_000;
        return new IncomingIntent(
            frame.integer("id", 0), intent, vector, own, parameters, frame.text("agent"), frame.integer("based_on", -1),
            ttlMs, expires, desk);
    }

    /** An attempt without a bridge, for a game's own tests. MOVE takes three numbers, the others none. */
    public static IncomingIntent of(Intent intent, Desk desk, double... vector) {
        if (vector.length != (intent == Intent.MOVE ? 3 : 0)) {
            throw new IllegalArgumentException("MOVE has a vector of three numbers, and no other intent has one");
        }
        return alone(1, intent, vector, null, Parameters.NONE, null, desk);
    }

    /** An attempt of a declared intent without a bridge, for tests; its parameters are JSON, and fit it. */
    public static IncomingIntent of(Declaration declaration, Desk desk, String parameters) {
        return of(declaration, desk, parameters, null);
    }

    /** The same for one of several actors. */
    public static IncomingIntent of(Declaration declaration, Desk desk, String parameters, String agent) {
        OwnIntent own = new OwnIntent(declaration, attempt -> {});
        JsonObject given = JsonTree.read(parameters);
        if (!own.takes(given)) {
            throw new IllegalArgumentException(parameters + " are not the parameters of " + own.name);
        }
        return alone(1, null, BARE, own, Parameters.of(given), agent, desk);
    }

    /** The STOP when the game loses its bridge; nobody waits for its result. */
    static IncomingIntent deadMan() {
        Desk nobody = (self, result) -> {};
        return alone(0, Intent.STOP, BARE, null, Parameters.NONE, null, nobody);
    }

    private static IncomingIntent alone(
        long id, Intent intent, double[] vector, OwnIntent own, Parameters parameters, String agent, Desk desk) {
        IncomingIntent attempt = new IncomingIntent(
            id, intent, vector, own, parameters, agent, -1, Frames.LONGEST_TTL, Long.MAX_VALUE, desk);
        attempt.stage = Stage.STARTED;
        return attempt;
    }

    /** The id on the wire, unique within a connection; 0 for the STOP that no bridge requested. */
    public long id() {
        return id;
    }

    /** Which of the seven intents it is; null for one that the game has declared. */
    public Intent intent() {
        return intent;
    }

    /** Its name on the wire, whether it is one of the seven or a declared one. */
    public String name() {
        return own == null ? intent.name() : own.name;
    }

    /** The parameters of an intent that the game has declared; none for the seven. */
    public Parameters parameters() {
        return parameters;
    }

    /** A parameter that is an integer; {@link #parameters} has those that are optional, lists and objects. */
    public long integer(String parameter) {
        return parameters.integer(parameter);
    }

    /** A parameter that is a number. */
    public double number(String parameter) {
        return parameters.number(parameter);
    }

    /** A parameter that is a text. */
    public String text(String parameter) {
        return parameters.text(parameter);
    }

    /** A parameter that is true or false. */
    public boolean flag(String parameter) {
        return parameters.flag(parameter);
    }

    /** The first component of a MOVE's vector. */
    public double x() {
        return vector[0];
    }

    /** The second component of a MOVE's vector. */
    public double y() {
        return vector[1];
    }

    /** The third component of a MOVE's vector. */
    public double z() {
        return vector[2];
    }

    /** Whom it is for, where the game has several actors; null where the bridge names none. */
    public String agent() {
        return agent;
    }

    /** The number of the state that the decision is based on; -1 where the bridge names none. */
    public long basedOn() {
        return basedOn;
    }

    /** Its time limit in milliseconds from its arrival. A MOVE that is still under way then ends as PARTIAL. */
    public long ttlMs() {
        return ttlMs;
    }

    /** Whether that time is over; never for a STOP. */
    public boolean isOverdue() {
        return desk.isOverdue(this);
    }

    /** How much of that time is left, in whole milliseconds: 0 once it is over, {@code Long.MAX_VALUE} for a STOP. */
    public long remainingMs() {
        return intent == Intent.STOP ? Long.MAX_VALUE : desk.remainingMs(this);
    }

    /** Whether it still waits for its result. */
    public boolean isOpen() {
        return stage == Stage.STARTED && !given.get();
    }

    /** Reports its progress, from 0 to 1; useful for a long MOVE only. */
    public void progress(double done) {
        if (!(done >= 0 && done <= 1)) {
            throw new IllegalArgumentException("progress is a share from 0 to 1, not " + done);
        }
        if (isOpen()) {
            desk.progress(this, done);
        }
    }

    /**
     * Ends it. Each attempt ends once; there is no effect after a STOP, a reset or the loss of the bridge. A result that was
     * not declared for its intent is refused with IllegalArgumentException.
     */
    public void finish(Result result) {
        Objects.requireNonNull(result, "the result");
        if (stage != Stage.STARTED) {
            return;
        }
        if (own != null) {
            own.check(result);
        }
        if (!given.compareAndSet(false, true)) {
            throw new IllegalStateException(this + " already has its result");
        }
        try {
            desk.finish(this, result);
        } catch (RuntimeException failed) {
            given.set(false);
            throw failed;
        }
    }

    /** Ends it with SUCCESS: it was triggered as intended. */
    public void succeed() {
        finish(Result.success());
    }

    /** Ends it with FAILURE for a reason other than NONE. */
    public void fail(Reason reason) {
        finish(Result.failure(reason));
    }

    /** Makes the game attempt it. */
    void begin(Executor game) {
        if (own != null) {
            own.act.accept(this);
            return;
        }
        switch (intent) {
            case PRIMARY_ATTACK:
                game.primaryAttack(this);
                break;
            case EVADE:
                game.evade(this);
                break;
            case MOVE:
                game.move(this);
                break;
            case HOLD:
                game.hold(this);
                break;
            case RELEASE:
                game.release(this);
                break;
            case JUMP:
                game.jump(this);
                break;
            default:
                game.stop(this);
        }
    }

    @Override
    public String toString() {
        return name() + " " + id;
    }
}
