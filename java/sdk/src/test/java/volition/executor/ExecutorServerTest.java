package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A game behind real sockets: it never waits for anybody, and stops when its bridge goes. */
@Timeout(60)
class ExecutorServerTest {
    private final Talk.Game game = new Talk.Game();
    private ExecutorServer server;

    @BeforeEach
    void listen() throws IOException {
        server = ExecutorServer.listen(0, game);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private SocketAddress at() {
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(server.address().replaceAll(".*:", "")));
    }

    @Test
    void anIntentIsAttemptedInTheTurnInWhichItArrives() throws IOException {
        try (Caller caller = new Caller(server, at()).say(Talk.HELLO, Talk.intent(1, "STOP"), Talk.intent(2, "JUMP"))) {
            assertEquals("welcome", caller.hear());
            assertEquals("1 SUCCESS NONE", caller.hear());
            assertTrue(caller.hearsNothing());
            assertEquals(1, game.jumps.size());
        }
    }

    @Test
    void whatTheGameFinishesBetweenTurnsLeavesAtOnce() throws IOException {
        try (Caller caller = new Caller(server, at()).say(Talk.HELLO, Talk.intent(1, "JUMP"))) {
            assertEquals("welcome", caller.hear());
            caller.hearsNothing();
            game.jumps.get(0).finish(Result.failure(Reason.COOLDOWN));
            server.tell("thunder", 0, out -> out.value("far away"));
            server.push();
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            caller.channel().configureBlocking(true);
            while (!new String(bytes.array(), StandardCharsets.UTF_8).contains("\"type\":\"state\",\"seq\":2")) {
                assertTrue(caller.channel().read(bytes) > 0);
            }
            String said = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            List<String> gist = said.lines().map(Talk::gist).collect(Collectors.toList());
            assertEquals(List.of("1 FAILURE COOLDOWN", "event", "state"), gist);
        }
    }

    @Test
    void aSecondBridgeIsTurnedAwayUntilTheFirstIsGone() throws IOException {
        Caller first = new Caller(server, at()).say(Talk.HELLO);
        assertEquals("welcome", first.hear());
        try (Caller second = new Caller(server, at()).say(Talk.HELLO)) {
            assertEquals("reject not_ready", second.hear());
            assertEquals("end", second.hear());
        }
        assertTrue(server.isConnected());
        first.close();
        while (server.isConnected()) {
            server.await(1_000_000);
        }
        assertEquals(List.of("eof"), game.lost);
        assertEquals(1, game.stops.size(), "the actor was stopped");
        try (Caller third = new Caller(server, at()).say(Talk.HELLO)) {
            assertEquals("welcome", third.hear());
        }
    }

    @Test
    void theLastWordsReachABridgeThatStillSends() throws IOException {
        try (Caller caller = new Caller(server, at()).say(Talk.HELLO)) {
            assertEquals("welcome", caller.hear());
            ByteBuffer much = ByteBuffer.wrap("x".repeat(8 << 20).getBytes(StandardCharsets.UTF_8));
            while (much.hasRemaining() && caller.channel().write(much) > 0) {
                continue;
            }
            assertTrue(much.position() > 1 << 20, "more than a frame is under way");
            assertEquals("goodbye", caller.hear());
            assertEquals("end", caller.hear());
            assertEquals(List.of("overrun"), game.lost);
        }
    }

    @Test
    void aBridgeThatDoesNotReadIsNotReadAndHoldsNobody() throws IOException {
        try (Caller caller = new Caller(server, at()).say(Talk.HELLO)) {
            String ping = "{\"v\":1,\"type\":\"ping\",\"n\":1}\n";
            ByteBuffer pings = ByteBuffer.wrap(ping.repeat(2000).getBytes(StandardCharsets.UTF_8));
            long refused = 0;
            for (int i = 0; i < 2_000 && refused < 50; i++) {
                refused += caller.channel().write(pings.rewind()) == 0 ? 1 : 0;
                long before = System.nanoTime();
                server.tick();
                assertTrue(System.nanoTime() - before < 1_000_000_000L);
            }
            assertEquals(50, refused, "the server has stopped reading");
        }
    }

    @Test
    void aUnixSocketIsForItsOwnerAndGoneAtTheEnd(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("game.sock");
        assumeTrue(Runtime.version().feature() >= 16, "older ones have no Unix sockets");
        SocketAddress at = UnixSockets.address(path);
        try (ExecutorServer unix = ExecutorServer.listen(path, game, new Options())) {
            assertEquals("unix:" + path, unix.address());
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
            assertEquals("rw-------", mode);
            try (Caller caller = new Caller(unix, at).say(Talk.HELLO)) {
                assertEquals("welcome", caller.hear());
                assertThrows(IOException.class, () -> ExecutorServer.listen(at, game, new Options()));
            }
        }
        assertFalse(Files.exists(path));
        UnixSockets.openServer().bind(at).close();
        assertTrue(Files.exists(path), "a socket that was left behind");
        ExecutorServer.listen(at, game, new Options()).close();
        assertFalse(Files.exists(path));
    }

    @Test
    void withoutUnixSocketsAPathIsRefusedInWords(@TempDir Path folder) {
        assumeTrue(Runtime.version().feature() < 16);
        Throwable thrown = assertThrows(
            UnsupportedOperationException.class,
            () -> ExecutorServer.listen(folder.resolve("game.sock"), game, new Options()));
        assertTrue(thrown.getMessage().contains("has no Unix sockets"));
    }

    @Test
    void otherMachinesAreNotLetInUnlessAllowed() throws IOException {
        InetSocketAddress anywhere = new InetSocketAddress("0.0.0.0", 0);
        assertThrows(IllegalArgumentException.class, () -> ExecutorServer.listen(anywhere, game, new Options()));
        ExecutorServer.listen(anywhere, game, new Options().allowRemote()).close();
    }

    @Test
    void oneThreadOwnsTheServer() throws InterruptedException {
        server.tick();
        Throwable[] thrown = new Throwable[1];
        Thread other = new Thread(() -> thrown[0] = assertThrows(IllegalStateException.class, server::tick));
        other.start();
        other.join();
        assertTrue(thrown[0].getMessage().contains("belongs to"));
    }

    @Test
    void connectionsThatNeverGreetShutNobodyOut() throws IOException {
        try (Caller first = new Caller(server, at()).say(Talk.HELLO)) {
            assertEquals("welcome", first.hear());
            List<Caller> silent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                silent.add(new Caller(server, at()));
                server.tick();
            }
            assertTrue(server.isConnected(), "who plays is never the one to go");
            assertEquals("goodbye", silent.get(0).hear(), "the oldest silent one has gone");
            try (Caller second = new Caller(server, at()).say(Talk.HELLO)) {
                assertEquals("reject not_ready", second.hear());
            }
            for (Caller each : silent) {
                each.close();
            }
        }
    }

    @Test
    void waitingEndsAtItsTimeAndWhenWoken() {
        long before = System.nanoTime();
        server.await(20_000_000);
        assertTrue(System.nanoTime() - before >= 15_000_000);
        new Thread(server::wakeup).start();
        server.await(60_000_000_000L);
        assertTrue(System.nanoTime() - before < 30_000_000_000L);
    }

    @Test
    void closingSaysGoodbyeAndStopsTheActor() throws IOException {
        try (Caller caller = new Caller(server, at()).say(Talk.HELLO)) {
            assertEquals("welcome", caller.hear());
            server.close();
            assertTrue(server.isOver());
            assertEquals(List.of("the game is over"), game.lost);
            assertEquals(1, game.stops.size());
            ByteBuffer bytes = ByteBuffer.allocate(4096);
            caller.channel().configureBlocking(true);
            while (caller.channel().read(bytes) >= 0) {
                continue;
            }
            String said = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            assertEquals("goodbye", Talk.gist(said.trim()));
        }
    }
}
