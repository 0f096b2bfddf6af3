package volition.bodies.minestom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** What fails is reported, and no client can make the log grow without end. */
class QuietErrorsTest {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final QuietErrors errors = new QuietErrors(new PrintStream(log, true));

    private static RuntimeException failure(String message, int line) {
        RuntimeException failure = new RuntimeException(message);
        failure.setStackTrace(new StackTraceElement[] {new StackTraceElement("Some", "where", "Some.java", line)});
        return failure;
    }

    @Test
    void eachKindIsReportedOnceWhateverItsMessage() {
        for (int i = 0; i < 1000; i++) {
            errors.handleException(failure("message " + i, 1));
        }
        String told = log.toString();
        assertTrue(told.contains("message 0") && told.contains("Some.java:1"), told);
        assertEquals(1, told.split("warning:", -1).length - 1);
    }

    @Test
    void evenThoseOfManyKindsHaveAnEnd() {
        for (int i = 0; i < 10 * QuietErrors.MOST_KINDS; i++) {
            errors.handleException(failure("", i));
        }
        assertEquals(QuietErrors.MOST_KINDS, log.toString().split("warning:", -1).length - 1);
        errors.handleException(new Error());
    }
}
