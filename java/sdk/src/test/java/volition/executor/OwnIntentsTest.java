package volition.executor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Declared intents: what an author writes, what the game gets, and what is refused. */
@Timeout(60)
class OwnIntentsTest {
    private static final Declaration DIG = Declaration.of("DIG")
        .integers("at", 3).choice("tool", "pick", "spade").optional("tool")
        .canEnd(Status.FAILURE, Reason.BLOCKED).canEnd(Status.SUCCESS, Reason.NONE).describedAs("Dig out one block.")
        .example("{\"at\":[0,0,-1]}");

    private final List<RuntimeException> troubles = new ArrayList<>();
    private final List<IncomingIntent> begun = new ArrayList<>();

    private Talk talk(Declaration declaration) {
        Talk talk = new Talk(new Options().onTrouble(troubles::add));
        talk.declared.add(declaration, begun::add);
        talk.hear(Talk.HELLO);
        return talk;
    }

    private IncomingIntent asked(Talk talk, String name, String parameters) {
        talk.hear(Talk.intent(1, name, ",\"parameters\":" + parameters));
        talk.session.work(0);
        talk.said();
        return begun.get(0);
    }

    @Test
    void theWelcomeHasTheDeclarationOfTheProtocolsPage() {
        String welcome = talk(DIG).said().get(0);
        assertTrue(welcome.endsWith(
            "\"declares\":[{\"name\":\"DIG\",\"parameters\":{\"type\":\"object\",\"properties\":{\"at\":{\"type\":\"array\","
                + "\"items\":{\"type\":\"integer\"},\"minItems\":3,\"maxItems\":3},\"tool\":{\"type\":\"string\","
                + "\"enum\":[\"pick\",\"spade\"]}},\"required\":[\"at\"],\"additionalProperties\":false},"
                + "\"results\":[\"SUCCESS/NONE\",\"FAILURE/BLOCKED\"],\"description\":\"Dig out one block.\","
                + "\"examples\":[{\"at\":[0,0,-1]}]}]}"), welcome);
    }

    @Test
    void aDeclarationMayNameWhoCanDoIt() {
        String welcome = talk(Declaration.of("WAVE").agents("ann", "bob")).said().get(0);
        assertTrue(welcome.endsWith("\"declares\":[{\"name\":\"WAVE\",\"agents\":[\"ann\",\"bob\"]}]}"), welcome);
        for (String wrong : List.of("", "x".repeat(201))) {
            assertThrows(IllegalArgumentException.class, () -> Declaration.of("WAVE").agents(wrong));
        }
    }

    @Test
    void aGameThatDeclaresNothingIsWelcomedWithTheSameBytesAsEver() {
        Talk talk = new Talk(new Options());
        talk.hear(Talk.HELLO.replace("state_push", "reset"));
        assertEquals(
            List.of("{\"v\":1,\"type\":\"welcome\",\"spec\":\"1.0.0\",\"session\":\"s-1\",\"executor\":{\"name\":\"test\","
                + "\"version\":\"1\"},\"engine\":\"none\",\"tick_hz\":0.0,\"clock\":{\"unit\":\"tick\",\"epoch\":"
                + "\"engine_start\"},\"intents\":[\"PRIMARY_ATTACK\",\"EVADE\",\"MOVE\",\"HOLD\",\"RELEASE\",\"STOP\","
                + "\"JUMP\"],\"hold_supported\":true,\"double_jump\":false,\"move_frame\":\"relative\",\"state_schema\":"
                + "{\"name\":\"test\",\"version\":\"1\",\"hash\":\"test-1\"},\"limits\":{\"max_frame\":1048576,"
                + "\"max_inflight\":8,\"result_cache\":1024},\"features\":[\"events\",\"next_state\",\"progress\"]}"),
            talk.said());
    }

    @Test
    void everyKindOfParameterIsReadAsWhatItIs() {
        String list = "{\"type\":\"array\",\"items\":%s}";
        Declaration all = Declaration.of("ALL")
            .integer("i").integer("il", -1, 1).number("n").number("nl", 0.5, 2).text("t").text("tl", 1, 2).flag("f")
            .choice("c", "x", "y").integers("is", 2).numbers("ns", 2)
            .parameter("ts", String.format(list, "{\"type\":\"string\"}"))
            .parameter("o", "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"description\":\"East.\"}},"
                + "\"additionalProperties\":false}")
            .parameter("os", String.format(list, "{\"type\":\"object\",\"properties\":{\"y\":{\"type\":\"string\"}},"
                + "\"additionalProperties\":false}"))
            .parameter("ls", String.format(list, String.format(list, "{\"type\":\"boolean\"}")))
            .integer("no").optional("no");
        Talk talk = talk(all);
        IncomingIntent attempt = asked(talk, "ALL", "{\"i\":7,\"il\":-1,\"n\":3,\"nl\":0.5,\"t\":\"\\u017c\",\"tl\":\"xy\","
            + "\"f\":true,\"c\":\"y\",\"is\":[1,2],\"ns\":[1,2.5],\"ts\":[\"a\"],\"o\":{\"x\":4},"
            + "\"os\":[{\"y\":\"b\"}],\"ls\":[[true],[]]}");
        // The reader uses its objects again for the next line.
        talk.hear(Talk.intent(2, "ALL", ",\"parameters\":{\"i\":0,\"o\":{\"x\":0}}"));
        Parameters given = attempt.parameters();
        assertEquals("ALL", attempt.name());
        assertNull(attempt.intent());
        assertEquals(List.of(7L, "ż", true), List.of(attempt.integer("i"), attempt.text("t"), attempt.flag("f")));
        assertEquals(List.of(3.0, 0.5), List.of(attempt.number("n"), attempt.number("nl")));
        assertArrayEquals(new long[] {1, 2}, given.integers("is"));
        assertArrayEquals(new double[] {1, 2.5}, given.numbers("ns"));
        assertEquals(List.of("a"), given.texts("ts"));
        assertEquals(4, given.object("o").integer("x"));
        assertEquals("b", given.objects("os").get(0).text("y"));
        assertEquals(List.of(List.of(true), List.of()), given.list("ls"));
        assertFalse(given.has("no"));
        assertEquals(9, given.integer("no", 9));
        assertEquals("{\"x\":4}", given.object("o").toString());
        for (Executable wrong : List.<Executable>of(
            () -> attempt.integer("no"), () -> attempt.integer("n_"), () -> attempt.integer("nl"), () -> attempt.text("i"),
            () -> attempt.flag("t"), () -> given.integers("ns"), () -> given.object("i"), () -> given.texts("t"))) {
            assertThrows(IllegalArgumentException.class, wrong);
        }
    }

    @Test
    void aWrongDeclarationIsRefusedWithItsReasons() throws IOException {
        String empty = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";
        for (Executable wrong : List.<Executable>of(
            () -> Declaration.of("ACT").integer("a").integer("a"), () -> Declaration.of("ACT").optional("a"),
            () -> Declaration.of("ACT").integer("a", 2, 1), () -> Declaration.of("ACT").canEnd(Status.FAILURE, Reason.NONE),
            () -> Declaration.of("ACT").parameters("[]"), () -> Declaration.of("ACT").parameter("a", "{"),
            () -> Declaration.of("ACT").parameters(empty).integer("a"),
            () -> Declaration.of("ACT").integer("a").parameters(empty))) {
            assertThrows(IllegalArgumentException.class, wrong);
        }
        try (ExecutorServer server = ExecutorServer.listen(0, new Talk.Game(), new Options().maxFrame(1024))) {
            Declaration bad = Declaration.of("ACT").integer("At").choice("tool");
            String why = assertThrows(IllegalArgumentException.class, () -> server.declare(bad, begun::add)).getMessage();
            assertTrue(why.contains("ACT") && why.contains("'At'") && why.contains("parameters.properties.tool"), why);
            Declaration misfit = Declaration.of("ACT").integer("a").example("{\"a\":7.0}");
            assertThrows(IllegalArgumentException.class, () -> server.declare(misfit, begun::add));
            Declaration half = Declaration.of("ACT").choice("tool", "\ud800");
            assertThrows(IllegalArgumentException.class, () -> server.declare(half, begun::add));
            Declaration wordy = Declaration.of("ACT").describedAs("x".repeat(1024));
            assertThrows(IllegalArgumentException.class, () -> server.declare(wordy, begun::add));
            Declaration deep = Declaration.of("ACT").parameter("a", "{\"type\":\"array\",\"items\":".repeat(28)
                + "{\"type\":\"boolean\"}" + "}".repeat(28));
            assertThrows(IllegalArgumentException.class, () -> server.declare(deep, begun::add));
            server.declare(Declaration.of("ACT"), begun::add);
            assertThrows(IllegalArgumentException.class, () -> server.declare(Declaration.of("ACT"), begun::add));
        }
    }

    @Test
    void whatIsDeclaredIsSettledWithTheFirstWelcome() throws IOException {
        try (ExecutorServer server = ExecutorServer.listen(0, new Talk.Game())) {
            Declaration listen = Declaration.of("LISTEN");
            server.declare(listen, IncomingIntent::succeed).declare(DIG, attempt -> attempt.fail(Reason.BLOCKED));
            listen.integer("late");
            int port = Integer.parseInt(server.address().replaceAll(".*:", ""));
            try (Caller caller = new Caller(server, new InetSocketAddress("127.0.0.1", port))) {
                caller.say(Talk.HELLO, Talk.intent(1, "LISTEN"), Talk.intent(2, "DIG", ",\"parameters\":{\"at\":[1,2,3]}"));
                assertEquals("welcome", caller.hear());
                assertEquals("1 SUCCESS NONE", caller.hear());
                assertEquals("2 FAILURE BLOCKED", caller.hear());
                Declaration late = Declaration.of("LATE");
                assertThrows(IllegalStateException.class, () -> server.declare(late, begun::add));
                caller.say(Talk.intent(3, "LATE"));
                assertEquals("3 FAILURE UNKNOWN NOT_CANONICAL", caller.hear());
            }
        }
    }

    @Test
    void aResultThatWasNotDeclaredIsTheAuthorsMistake() {
        Talk talk = talk(DIG);
        IncomingIntent attempt = asked(talk, "DIG", "{\"at\":[1,2,3]}");
        String why = assertThrows(IllegalArgumentException.class, () -> attempt.fail(Reason.COOLDOWN)).getMessage();
        assertEquals("DIG was not declared to end as FAILURE/COOLDOWN: declare that with canEnd, or report one of "
            + "SUCCESS/NONE, FAILURE/BLOCKED", why);
        assertTrue(attempt.isOpen());
        attempt.fail(Reason.RESOURCE_EXHAUSTED);
        assertEquals(List.of("1 FAILURE RESOURCE_EXHAUSTED"), talk.gist());
        Talk throwing = new Talk(new Options().onTrouble(troubles::add));
        throwing.declared.add(Declaration.of("ACT"), each -> each.fail(Reason.BLOCKED));
        throwing.hear(Talk.HELLO, Talk.intent(1, "ACT"));
        throwing.session.work(0);
        assertEquals(List.of("welcome", "1 FAILURE UNKNOWN EXCEPTION"), throwing.gist());
        assertEquals(1, troubles.size());
    }
}
