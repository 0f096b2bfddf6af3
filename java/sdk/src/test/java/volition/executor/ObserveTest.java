package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Observers see what another bridge drives, and can do nothing to it. */
@Timeout(60)
class ObserveTest {
    private static final String OBSERVE = Talk.HELLO.replace("[\"events\"", "[\"observe\",\"events\"");

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

    private Caller caller(String hello) throws IOException {
        SocketAddress at = new InetSocketAddress("127.0.0.1", Integer.parseInt(server.address().replaceAll(".*:", "")));
        return new Caller(server, at).say(hello);
    }

    @Test
    void anObserverSeesAndDoesNotDisturb() throws IOException {
        try (Caller driver = caller(Talk.HELLO)) {
            assertEquals("welcome", driver.hear());
            driver.say(Talk.intent(1, "JUMP"));
            assertTrue(driver.hearsNothing());
            try (Caller observer = caller(OBSERVE)) {
                assertEquals("welcome", observer.hear());
                observer.say("{\"v\":1,\"type\":\"state_request\",\"id\":1,\"full\":true}");
                assertEquals("state 1", observer.hear());
                server.tell("thunder", 0, out -> out.value("far away"));
                server.push();
                for (Caller each : List.of(driver, observer)) {
                    assertEquals("event", each.hear());
                    assertEquals("state", each.hear());
                }
                observer.say("{\"v\":1,\"type\":\"goodbye\"}");
                assertEquals("goodbye", observer.hear());
                assertEquals("end", observer.hear());
            }
            assertEquals(List.of(), game.stops, "the actor goes on");
            assertEquals(List.of(), game.lost);
            game.jumps.get(0).succeed();
            assertEquals("1 SUCCESS NONE", driver.hear());
        }
    }

    @Test
    void anEventNamesTheIntentToItsDriverAlone() throws IOException {
        try (Caller driver = caller(Talk.HELLO); Caller observer = caller(OBSERVE)) {
            assertEquals("welcome", driver.hear());
            assertEquals("welcome", observer.hear());
            server.tell("hold_interrupted", 6, null);
            assertTrue(driver.hearLine().contains("\"id\":6"));
            assertFalse(observer.hearLine().contains("\"id\""));
        }
    }

    @Test
    void whatAnObserverAsksForIsNotAttempted() {
        Talk talk = new Talk(new Options());
        talk.session.taken = true;
        talk.hear(OBSERVE);
        assertTrue(talk.said().get(0).contains("\"state_push\",\"observe\"]"));
        talk.hear(Talk.intent(1, "JUMP"), Talk.intent(2, "STOP"), "{\"v\":1,\"type\":\"cancel\",\"id\":9}");
        talk.session.work(0);
        List<String> said = talk.said();
        for (int i = 0; i < 3; i++) {
            assertEquals("error out_of_order", Talk.gist(said.get(i)));
            assertTrue(said.get(i).contains("from an observer\",\"id\":" + List.of(1, 2, 9).get(i)), said.get(i));
        }
        assertEquals(3, said.size());
        talk.session.end(true);
        assertEquals(List.of(), talk.game.jumps);
        assertEquals(List.of(), talk.game.stops);
        assertEquals(List.of(), talk.game.lost);
    }

    @Test
    void observersTakeNoSeat() throws IOException {
        try (Caller observer = caller(OBSERVE)) {
            assertEquals("welcome", observer.hear());
            assertFalse(server.isConnected());
            try (Caller driver = caller(Talk.HELLO); Caller late = caller(OBSERVE); Caller second = caller(Talk.HELLO)) {
                assertEquals("welcome", driver.hear());
                assertEquals("welcome", late.hear());
                assertEquals("reject not_ready", second.hear());
                assertTrue(server.isConnected());
            }
            while (server.isConnected()) {
                server.await(1_000_000);
            }
            assertEquals(List.of("eof"), game.lost, "the loss of the driver is told all the same");
            server.push();
            assertEquals("state", observer.hear());
        }
    }

    @Test
    void anObserverThatDoesNotReadIsToldLess() throws IOException {
        String much = "x".repeat(50_000);
        int events = 400;
        try (Caller idle = caller(OBSERVE)) {
            assertEquals("welcome", idle.hear());
            for (int i = 0; i < events; i++) {
                server.tell("thunder", 0, out -> out.value(much));
                server.push();
            }
            idle.say("{\"v\":1,\"type\":\"ping\",\"n\":1}");
            List<String> heard = new ArrayList<>();
            for (String word = idle.hear(); !word.equals("pong") && !word.equals("end"); word = idle.hear()) {
                heard.add(word);
            }
            assertTrue(heard.size() > 1 && heard.size() < events, "heard " + heard.size());
        }
    }

    @Test
    void manyEventsOfOneTurnReachAnObserver() throws IOException {
        try (Caller observer = caller(OBSERVE)) {
            assertEquals("welcome", observer.hear());
            game.onStop = () -> List.of("a", "b", "c").forEach(server::tell);
            try (Caller driver = caller(Talk.HELLO).say(Talk.intent(1, "STOP"))) {
                assertEquals("welcome", driver.hear());
                for (int i = 0; i < 3; i++) {
                    assertEquals("event", observer.hear());
                }
                game.onStop = () -> {};
            }
        }
    }

    @Test
    void aHouseFullOfObserversIsOpenToADriver() throws IOException {
        List<Caller> observers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            observers.add(caller(OBSERVE));
            assertEquals("welcome", observers.get(i).hear());
        }
        try (Caller driver = caller(Talk.HELLO)) {
            assertEquals("welcome", driver.hear());
            assertEquals("goodbye", observers.get(0).hear(), "the oldest that does not drive has gone");
            assertEquals(List.of(), game.stops);
        }
        for (Caller each : observers) {
            each.close();
        }
    }
}
