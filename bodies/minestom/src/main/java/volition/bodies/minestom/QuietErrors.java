package volition.bodies.minestom;

import java.io.PrintStream;
import java.util.HashSet;
import java.util.Set;
import net.minestom.server.exception.ExceptionHandler;

/**
 * Reports what fails inside Minestom, each kind once: whoever reaches the game's port can make it fail as often as they like,
 * and must not fill a disk with it. Any thread may report.
 */
final class QuietErrors implements ExceptionHandler {
    /** How many kinds are told apart. */
    static final int MOST_KINDS = 100;

    private final PrintStream out;
    private final Set<String> seen = new HashSet<>();

    QuietErrors(PrintStream out) {
        this.out = out;
    }

    @Override
    public synchronized void handleException(Throwable error) {
        if (seen.size() < MOST_KINDS && seen.add(kind(error))) {
            out.println("warning: this failed, and is not reported again if it repeats");
            error.printStackTrace(out);
        }
    }

    /** Where it was thrown and as what; its message is often the attacker's own words. */
    private static String kind(Throwable error) {
        StackTraceElement[] trace = error.getStackTrace();
        return error.getClass().getName() + (trace.length == 0 ? "" : " " + trace[0]);
    }
}
