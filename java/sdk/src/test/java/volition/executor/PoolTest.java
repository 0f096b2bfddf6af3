package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A game whose workers finish attempts from other threads: each result is sent once, by the server's thread. */
@Timeout(60)
class PoolTest {
    private static final int RESULTS = 10_000;
    private static final int WINDOW = 256;

    /** Leaves every jump to a worker, who says how it goes and then how it went. */
    private static final class Busy implements Executor {
        final ExecutorService pool = Executors.newFixedThreadPool(8);
        long tick;

        @Override
        public About about() {
            return About.game("pool", "1");
        }

        @Override
        public void jump(IncomingIntent attempt) {
            pool.execute(() -> {
                attempt.progress(0.5);
                attempt.finish(attempt.id() % 3 == 0 ? Result.failure(Reason.COOLDOWN) : Result.success());
                assertThrows(IllegalStateException.class, attempt::succeed);
            });
        }

        @Override
        public void stop(IncomingIntent attempt) {
            attempt.succeed();
        }

        @Override
        public void describe(JsonWriter out, boolean full) {
            out.object().field("tick", tick).end();
        }

        @Override
        public long tick() {
            return tick;
        }
    }

    @Test
    void tenThousandResultsOfAPoolArriveOnceEach() throws Exception {
        Busy game = new Busy();
        Options options = new Options().maxInflight(WINDOW).onTrouble(trouble -> {
            throw trouble;
        });
        try (ExecutorServer server = ExecutorServer.listen(0, game, options)) {
            int port = Integer.parseInt(server.address().replaceAll(".*:", ""));
            CompletableFuture<int[]> counts = CompletableFuture.supplyAsync(() -> drive(port));
            while (!counts.isDone()) {
                server.await(1_000_000);
                game.tick++;
                server.push();
            }
            int[] seen = counts.get();
            for (int id = 1; id <= RESULTS; id++) {
                assertEquals(1, seen[id], "results of " + id);
            }
        } finally {
            game.pool.shutdown();
            assertTrue(game.pool.awaitTermination(10, TimeUnit.SECONDS));
        }
    }

    /** Keeps the window full until everything has its result; how many results each id had. */
    private static int[] drive(int port) {
        int[] seen = new int[RESULTS + 1];
        try (Socket socket = new Socket("127.0.0.1", port);
            InputStreamReader input = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
            BufferedReader reader = new BufferedReader(input)) {
            OutputStream out = socket.getOutputStream();
            say(out, Talk.HELLO);
            int sent = 0;
            for (int done = 0; done < RESULTS; ) {
                while (sent < RESULTS && sent - done < WINDOW) {
                    say(out, Talk.intent(++sent, "JUMP"));
                }
                JsonObject frame = Talk.parse(reader.readLine());
                if (frame.text("type").equals("result")) {
                    int id = (int) frame.integer("id", 0);
                    String expected = id % 3 == 0 ? "FAILURE" : "SUCCESS";
                    assertEquals(expected, ((JsonObject) frame.get("result")).get("status"), "the result of " + id);
                    seen[id]++;
                    done++;
                }
            }
            return seen;
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    private static void say(OutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aResultOfAnotherThreadWaitsForTheOwnersTurn() throws InterruptedException, ExecutionException {
        Talk talk = Talk.open();
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "JUMP"));
        List<IncomingIntent> jumps = talk.taken();
        talk.now = 5_000_000;
        elsewhere(() -> {
            jumps.get(0).progress(0.25);
            jumps.get(0).progress(0.75);
            jumps.get(0).succeed();
            jumps.get(1).succeed();
        });
        talk.now = 50_000_000;
        assertEquals(List.of(), talk.said(), "nothing is written by another thread");
        assertFalse(jumps.get(0).isOpen(), "it has its result");
        assertThrows(IllegalStateException.class, () -> jumps.get(0).succeed());
        talk.hear(Talk.intent(3, "STOP"));
        talk.taken().forEach(IncomingIntent::succeed);
        assertEquals(List.of("1 PARTIAL NONE STOPPED", "2 PARTIAL NONE STOPPED", "3 SUCCESS NONE"), talk.gist());
        talk.inbox.drain();
        assertEquals(List.of(), talk.gist(), "what a STOP has ended has had its result");

        talk.hear(Talk.intent(4, "JUMP"));
        IncomingIntent last = talk.taken().get(0);
        talk.now += 7_000_000;
        elsewhere(() -> {
            last.progress(0.25);
            last.progress(0.75);
            last.succeed();
        });
        talk.now += 60_000_000;
        talk.inbox.drain();
        List<String> said = talk.said();
        assertTrue(said.get(0).contains("\"done\":0.75"), "the newest share is enough");
        assertEquals("4 SUCCESS NONE", Talk.gist(said.get(1)));
        assertTrue(said.get(1).contains("\"execution_time_ms\":7.0"), "measured when it was finished: " + said.get(1));
        assertEquals(2, said.size());
    }

    private static void elsewhere(Runnable work) throws InterruptedException, ExecutionException {
        CompletableFuture.runAsync(work).get();
    }
}
