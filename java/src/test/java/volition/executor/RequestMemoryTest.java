package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests are remembered over restarts, whatever a crash leaves of the file. */
class RequestMemoryTest {
    private static final Result WHOLE =
        new Result(Status.PARTIAL, Reason.BLOCKED, true, 1.5, 0.1, true, false, -7L, 12.25, "a b\n%");

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("requests");
    }

    private static RequestMark mark(String request, String digest, long token) {
        return new RequestMark(request, digest, token, "arm");
    }

    @Test
    void aResultIsTheSameAfterARestart() throws IOException {
        try (RequestMemory memory = new RequestMemory(file)) {
            assertNull(memory.admit(mark("r 1", "d", 5)));
            memory.finish(mark("r 1", "d", 5), WHOLE);
            memory.finish(mark("r 1", "d", 5), Result.success());
        }
        try (RequestMemory memory = new RequestMemory(file)) {
            Result known = memory.admit(mark("r 1", "d", 5));
            assertEquals(WHOLE.toString(), known.toString());
            assertEquals(WHOLE.damageReceived(), known.damageReceived());
            assertEquals(WHOLE.timestamp(), known.timestamp());
            assertEquals(WHOLE.alive(), known.alive());
            assertEquals("FAILURE/INVALID_STATE OTHER_DIGEST", memory.admit(mark("r 1", "other", 5)).toString());
        }
    }

    @Test
    void whatBeganAndDidNotEndIsNotAttemptedAgain() throws IOException {
        try (RequestMemory memory = new RequestMemory(file)) {
            assertNull(memory.admit(mark("r1", "d", 5)));
        }
        try (RequestMemory memory = new RequestMemory(file)) {
            assertEquals("FAILURE/UNKNOWN INTERRUPTED", memory.admit(mark("r1", "d", 5)).toString());
        }
    }

    @Test
    void aLowerTokenIsRefused() throws IOException {
        try (RequestMemory memory = new RequestMemory(file)) {
            memory.fence("arm", 9);
            memory.fence("arm", 3);
        }
        try (RequestMemory memory = new RequestMemory(file)) {
            assertEquals("FAILURE/INVALID_STATE STALE_TOKEN", memory.admit(mark("r1", "d", 8)).toString());
            assertNull(memory.admit(mark("r1", "d", 9)));
        }
    }

    @Test
    void aTornLineIsCut() throws IOException {
        try (RequestMemory memory = new RequestMemory(file)) {
            memory.admit(mark("r1", "d", 5));
        }
        byte[] whole = Files.readAllBytes(file);
        for (int cut = 1; cut < 12; cut++) {
            byte[] torn = Arrays.copyOf(whole, whole.length + cut);
            System.arraycopy("begin r2 digest".getBytes(StandardCharsets.UTF_8), 0, torn, whole.length, cut);
            Files.write(file, torn);
            new RequestMemory(file).close();
            assertEquals(whole.length, Files.size(file));
        }
    }

    @Test
    void anotherFileIsRefusedAndLeft() throws IOException {
        for (String content : new String[] {"hello\n", "volition requests 2\n", "volition requests 1\ndance r1\n"}) {
            Files.writeString(file, content);
            assertThrows(IOException.class, () -> new RequestMemory(file));
            assertEquals(content, Files.readString(file));
        }
    }
}
