package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What other threads post runs on the server's own thread, in its order, in the server's next turn. */
@Timeout(60)
class PostTest {
    private final Talk.Game game = new Talk.Game();
    private final List<RuntimeException> troubles = new ArrayList<>();
    private ExecutorServer server;

    @BeforeEach
    void listen() throws IOException {
        server = ExecutorServer.listen(0, game, new Options().onTrouble(troubles::add));
        server.tick();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private static void elsewhere(Runnable work) {
        CompletableFuture.runAsync(work).join();
    }

    @Test
    void eventsAndStatesComeFromAnyThreadInTheirOrder() throws IOException {
        InetSocketAddress at = new InetSocketAddress("127.0.0.1", Integer.parseInt(server.address().replaceAll(".*:", "")));
        try (Caller driver = new Caller(server, at).say(Talk.HELLO)) {
            assertEquals("welcome", driver.hear());
            elsewhere(() -> {
                assertThrows(IllegalStateException.class, () -> server.tell("refused"));
                server.post(() -> server.tell("first"));
                server.post(() -> server.tell("second", 0, "ann", null));
                server.post(server::push);
            });
            assertTrue(driver.hearLine().contains("\"first\""));
            assertTrue(driver.hearLine().contains("\"second\""));
            assertEquals("state", driver.hear());
        }
    }

    @Test
    void aTaskRunsOnTheThreadThatOwnsTheServer() {
        List<Thread> threads = new ArrayList<>();
        elsewhere(() -> server.post(() -> threads.add(Thread.currentThread())));
        assertEquals(List.of(), threads);
        server.tick();
        assertSame(Thread.currentThread(), threads.get(0));
    }

    @Test
    void aTaskThatPostsItselfAgainBlocksNoTick() {
        int[] runs = new int[1];
        Runnable[] again = new Runnable[1];
        again[0] = () -> {
            runs[0]++;
            server.post(again[0]);
        };
        server.post(again[0]);
        server.tick();
        server.tick();
        assertEquals(2, runs[0]);
    }

    @Test
    void aTaskThatFailsIsReportedAndTheNextOneRuns() {
        List<String> ran = new ArrayList<>();
        server.post(() -> {
            throw new IllegalStateException("planted");
        });
        server.post(() -> ran.add("after it"));
        server.tick();
        assertEquals(List.of("after it"), ran);
        assertEquals("planted", troubles.get(0).getMessage());
    }

    @Test
    void aPostWakesAServerThatWaits() {
        List<String> ran = new ArrayList<>();
        CompletableFuture<Void> post = CompletableFuture.runAsync(() -> server.post(() -> ran.add("woken")));
        while (ran.isEmpty()) {
            server.await(60L * Talk.SECOND);
        }
        post.join();
        assertEquals(List.of("woken"), ran);
    }

    @Test
    void aClosedServerTakesAPostAndRunsNothing() throws IOException {
        List<String> ran = new ArrayList<>();
        server.close();
        server.post(() -> ran.add("never"));
        assertEquals(List.of(), ran);
    }
}
