package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests are remembered over restarts, whatever a crash leaves of the file. */
class RequestMemoryTest {
    private static final Result WHOLE =
        new Result(Status.PARTIAL, Reason.BLOCKED, true, 1.5, 0.1, true, false, -7L, 12.25, "a b\n%");

    private static final Result WHOLE_SUCCESS =
        new Result(Status.SUCCESS, Reason.NONE, false, 1.5, 0, false, true, 7L, 1.0, null);
    private static final Set<String> SAID =
        Set.of("SUCCESS/NONE", "FAILURE/UNKNOWN INTERRUPTED", RequestMemory.NOT_REMEMBERED);

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

    /** Wherever the disk begins to fail, for once or until it is mended: nothing is attempted twice, and no answer is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFaultAtAnyCallMakesNoRequestHappenTwice(boolean lasting) throws IOException {
        long calls = 1;
        for (long at = 1; at <= calls; at++) {
            file = folder.resolve("requests" + at);
            int[] attempts = new int[2];
            List<List<String>> answers = List.of(new ArrayList<>(), new ArrayList<>());
            for (int life = 0; life < 3; life++) {
                FailingChannel disk = new FailingChannel(open(file), life == 0 ? at : Long.MAX_VALUE, lasting);
                try (RequestMemory memory = new RequestMemory(disk, file)) {
                    for (int i = 0; i < 4; i++) {
                        answers.get(i % 2).add(ask(memory, mark("r" + i % 2, "d", life + 1), attempts, i % 2));
                        if (i == 2) {
                            disk.repair();
                        }
                    }
                } catch (IOException full) {
                    assertEquals(0, life, "only a disk that fails keeps a memory from being opened");
                }
                calls = Math.max(calls, disk.calls);
            }
            for (int i = 0; i < 2; i++) {
                List<String> said = answers.get(i);
                assertEquals(1, attempts[i], "at call " + at);
                int known = said.indexOf("SUCCESS/NONE");
                Set<String> after = new HashSet<>(said.subList(Math.max(known, 0), said.size()));
                assertTrue(known < 0 || after.equals(Set.of("SUCCESS/NONE")), at + ": " + said);
                assertTrue(SAID.containsAll(said), at + ": " + said);
            }
        }
        assertTrue(calls > 8);
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    }

    /** What a request is answered, with an attempt that succeeds where one is allowed. */
    private static String ask(RequestMemory memory, RequestMark mark, int[] attempts, int which) {
        try {
            Result known = memory.admit(mark);
            if (known == null) {
                attempts[which]++;
                memory.finish(mark, WHOLE_SUCCESS);
                known = WHOLE_SUCCESS;
            }
            return known.toString();
        } catch (UncheckedIOException full) {
            return RequestMemory.NOT_REMEMBERED;
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
