package volition.executor;

/**
 * One intent for the game to attempt, once. The game ends it with {@link #finish} (or {@link #succeed}, {@link #fail}),
 * at once or in a later tick of its own; until then it is open. A STOP or the loss of the bridge ends what was open
 * before: {@link #isOpen} says so, and to finish such an attempt changes nothing.
 */
public final class Attempt {
    /** Where the result of an attempt goes; a test of a game can give one of its own. */
    public interface Desk {
        /** Takes the one result of an attempt. */
        void finish(Attempt attempt, Result result);

        /** Takes word of how an attempt is getting on: a share from 0 to 1. */
        default void progress(Attempt attempt, double done) {}
    }

    enum Stage { WAITING, STARTED, FINISHED, GONE }

    final long expires;
    long startedAt;
    Stage stage = Stage.WAITING;

    private final long id;
    private final Intent intent;
    private final double[] vector;
    private final String agent;
    private final long basedOn;
    private final Desk desk;

    Attempt(long id, Intent intent, double[] vector, String agent, long basedOn, long expires, Desk desk) {
        this.id = id;
        this.intent = intent;
        this.vector = vector;
        this.agent = agent;
        this.basedOn = basedOn;
        this.expires = expires;
        this.desk = desk;
    }

    /** An attempt without a bridge, for a game's own tests. MOVE takes three numbers, the others none. */
    public static Attempt of(Intent intent, Desk desk, double... vector) {
        if (vector.length != (intent == Intent.MOVE ? 3 : 0)) {
            throw new IllegalArgumentException("MOVE has a vector of three numbers, and no other intent has one");
        }
        Attempt attempt = new Attempt(1, intent, vector, null, -1, Long.MAX_VALUE, desk);
        attempt.stage = Stage.STARTED;
        return attempt;
    }

    /** The STOP that the game does by itself when it loses its bridge; nobody waits for its result. */
    static Attempt deadMan() {
        Attempt attempt = new Attempt(0, Intent.STOP, new double[0], null, -1, Long.MAX_VALUE, (self, result) -> {});
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

    /** Whether it still waits for its result. */
    public boolean isOpen() {
        return stage == Stage.STARTED;
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
        if (stage == Stage.FINISHED) {
            throw new IllegalStateException(intent + " " + id + " has had its result");
        }
        if (isOpen()) {
            desk.finish(this, result);
            stage = Stage.FINISHED;
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

    @Override
    public String toString() {
        return intent + " " + id;
    }
}
