package volition.executor;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One intent for the game to attempt, once. The game ends it with {@link #finish} (or {@link #succeed}, {@link #fail}),
 * at once or in a later tick of its own; until then it is open. A STOP or the loss of the bridge ends what was open
 * before: {@link #isOpen} says so, and to finish such an attempt changes nothing.
 *
 * <p>Any thread may call any method. What a thread other than the server's says waits for the next
 * {@link ExecutorServer#tick}, {@link ExecutorServer#push} or {@link ExecutorServer#tell} of that one, and a server that
 * sleeps in {@link ExecutorServer#await} is woken by it.
 */
public final class Attempt {
    /** Where the result of an attempt goes; a test of a game can give one of its own. */
    public interface Desk {
        /** Takes the one result of an attempt. */
        void finish(Attempt attempt, Result result);

        /** Takes word of how an attempt is getting on: a share from 0 to 1. */
        default void progress(Attempt attempt, double done) {}

        /** Whether the time that an attempt has is over. */
        default boolean isOverdue(Attempt attempt) {
            return false;
        }
    }

    enum Stage { WAITING, STARTED, GONE }

    final long expires;
    /** The newest share that another thread has told of and that was not passed on yet; null where there is none. */
    final AtomicReference<Double> progressDue = new AtomicReference<>();
    long startedAt;
    volatile Stage stage = Stage.WAITING;

    private final long id;
    private final Intent intent;
    private final double[] vector;
    private final String agent;
    private final long basedOn;
    private final long ttlMs;
    private final Desk desk;
    private final AtomicBoolean given = new AtomicBoolean();

    Attempt(
        long id, Intent intent, double[] vector, String agent, long basedOn, long ttlMs, long expires, Desk desk) {
        this.id = id;
        this.intent = intent;
        this.vector = vector;
        this.agent = agent;
        this.basedOn = basedOn;
        this.ttlMs = ttlMs;
        this.expires = expires;
        this.desk = desk;
    }

    /** An attempt without a bridge, for a game's own tests. MOVE takes three numbers, the others none. */
    public static Attempt of(Intent intent, Desk desk, double... vector) {
        if (vector.length != (intent == Intent.MOVE ? 3 : 0)) {
            throw new IllegalArgumentException("MOVE has a vector of three numbers, and no other intent has one");
        }
        Attempt attempt = new Attempt(1, intent, vector, null, -1, Frames.LONGEST_TTL, Long.MAX_VALUE, desk);
        attempt.stage = Stage.STARTED;
        return attempt;
    }

    /** The STOP that the game does by itself when it loses its bridge; nobody waits for its result. */
    static Attempt deadMan() {
        Desk nobody = (self, result) -> {};
        Attempt attempt =
            new Attempt(0, Intent.STOP, new double[0], null, -1, Frames.LONGEST_TTL, Long.MAX_VALUE, nobody);
        attempt.stage = Stage.STARTED;
        return attempt;
    }

    /** The id on the wire, unique within a connection; 0 for the STOP that no bridge asked for. */
    public long id() {
        return id;
    }

    /** Which of the seven it is. */
    public Intent intent() {
        return intent;
    }

    /** The first part of a MOVE's vector. */
    public double x() {
        return vector[0];
    }

    /** The second part of a MOVE's vector. */
    public double y() {
        return vector[1];
    }

    /** The third part of a MOVE's vector. */
    public double z() {
        return vector[2];
    }

    /** Whom it is for, where the game has several actors; null where the bridge names none. */
    public String agent() {
        return agent;
    }

    /** The number of the state that the decision rests on; -1 where the bridge names none. */
    public long basedOn() {
        return basedOn;
    }

    /** The time that it has, in milliseconds from its arrival. A MOVE that is still under way then ends as PARTIAL. */
    public long ttlMs() {
        return ttlMs;
    }

    /** Whether that time is over; never so for a STOP. */
    public boolean isOverdue() {
        return desk.isOverdue(this);
    }

    /** Whether it still waits for its result. */
    public boolean isOpen() {
        return stage == Stage.STARTED && !given.get();
    }

    /** Says how it is getting on, from 0 to 1; worth its while for a long MOVE only. */
    public void progress(double done) {
        if (!(done >= 0 && done <= 1)) {
            throw new IllegalArgumentException("progress is a share from 0 to 1, not " + done);
        }
        if (isOpen()) {
            desk.progress(this, done);
        }
    }

    /** Ends it. Each attempt ends once; one that a STOP or the loss of the bridge has ended is left alone. */
    public void finish(Result result) {
        Objects.requireNonNull(result, "the result");
        if (stage != Stage.STARTED) {
            return;
        }
        if (!given.compareAndSet(false, true)) {
            throw new IllegalStateException(intent + " " + id + " has had its result");
        }
        try {
            desk.finish(this, result);
        } catch (RuntimeException failed) {
            given.set(false);
            throw failed;
        }
    }

    /** Ends it with SUCCESS: it was triggered as meant. */
    public void succeed() {
        finish(Result.success());
    }

    /** Ends it with FAILURE for a reason other than NONE. */
    public void fail(Reason reason) {
        finish(Result.failure(reason));
    }

    /** Has the game attempt it. */
    void begin(Executor game) {
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
        return intent + " " + id;
    }
}
