package volition.bodies.minestom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.minestom.server.MinecraftServer;
import net.minestom.server.entity.Entity;
import net.minestom.server.entity.EntityType;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.instance.block.Block;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volition.executor.Declaration;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.Result;

/** The laws of the stage, stepped by hand: two rooms side by side, a door between them, and the way out to the south. */
class StageGameTest implements StageGame.Audience {
    private static final String TWO_ROOMS = """
        {"title":"Two rooms","rooms":[
          {"id":"hall","name":"The hall","x":0,"y":0,"width":10,"height":8},
          {"id":"den","name":"The den","x":10,"y":0,"width":10,"height":8}],
         "doors":[{"start":[10,3],"end":[10,5]},{"start":[4,8],"end":[6,8]}]}""";

    private final List<String> noticed = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private InstanceContainer instance;
    private StageGame stage;

    @BeforeAll
    static void init() {
        if (MinecraftServer.process() == null) {
            MinecraftServer.init();
            MinecraftServer.process().dispatcher().start();
        }
    }

    @BeforeEach
    void begin() {
        instance = Main.world();
        stage = new StageGame(instance, new House(instance), this);
        attempt(StageIntents.SET, stage::set, null, TWO_ROOMS);
        enter("ann", 4, 4);
        results.clear();
        noticed.clear();
    }

    @Override
    public void hear(String line) {
        noticed.add(line);
    }

    @Override
    public void read(String caption) {
        noticed.add("[" + caption + "]");
    }

    @Override
    public boolean tell(String name, String text) {
        noticed.add("to " + name + ": " + text);
        return name.equals("eve");
    }

    @Override
    public void forget() {
        noticed.add("forgotten");
    }

    @Override
    public void gather() {
        noticed.add("gathered");
    }

    private IncomingIntent attempt(Declaration declared, Consumer<IncomingIntent> act, String who, String parameters) {
        IncomingIntent attempt =
            IncomingIntent.of(declared, (self, result) -> results.add(result), parameters, who);
        act.accept(attempt);
        return attempt;
    }

    private void enter(String who, double x, double y) {
        attempt(StageIntents.ENTER, stage::enter, null,
            "{\"who\":\"" + who + "\",\"name\":\"" + who + "\",\"at\":[" + x + "," + y + "]}");
    }

    private IncomingIntent walk(String who, String way) {
        return attempt(StageIntents.WALK, stage::walk, who, "{\"way\":" + way + "}");
    }

    /** Lets the world and then the stage step until so many results are there; how many ticks that took. */
    private int until(int count) {
        int ticks = 0;
        while (results.size() < count) {
            assertTrue(ticks++ < 1000, "nothing ends");
            ticks(1);
        }
        return ticks;
    }

    private void ticks(int count) {
        for (int i = 0; i < count; i++) {
            MinecraftServer.process().ticker().tick(System.nanoTime());
            stage.step();
        }
    }

    private String last() {
        Result result = results.getLast();
        return result.status() + "/" + result.reason();
    }

    private Entity body(String who) {
        return instance.getEntities().stream().filter(each -> who.equals(stage.who(each))).findFirst().orElseThrow();
    }

    private List<Double> place(String who) {
        return List.of(body(who).getPosition().x() - 0.5, body(who).getPosition().z() - 0.5);
    }

    private long labels() {
        return instance.getEntities().stream().filter(each -> each.getEntityType() == EntityType.TEXT_DISPLAY).count();
    }

    @Test
    void aGuestWalksThroughADoorAndArrivesExactly() {
        walk("ann", "[[10,4],[18,1.6]]");
        int ticks = until(1);
        assertEquals("SUCCESS/NONE", last());
        assertEquals(List.of(18.0, 1.6), place("ann"));
        assertTrue(ticks > 14.3 / Guest.STRIDE && ticks < 18 / Guest.STRIDE, "at a walking pace: " + ticks);
    }

    @Test
    void whoGoesOutSlantwiseGoesSquarelyThroughTheDoor() {
        walk("ann", "[[5,8],[19,9.2]]");
        until(1);
        assertEquals("SUCCESS/NONE", last());
        walk("ann", "[[5,8],[1.6,6.4]]");
        until(2);
        assertEquals("SUCCESS/NONE", last());
        assertEquals(List.of(1.6, 6.4), place("ann"));
    }

    @Test
    void aWallBlocksAndTheResultSaysWhetherTheyMoved() {
        walk("ann", "[[16,-1]]");
        until(1);
        assertEquals("PARTIAL/BLOCKED", last());
        List<Double> before = place("ann");
        assertTrue(before.get(0) > 9 && before.get(0) < 9.5, "in front of the wall");
        walk("ann", "[[16,-1]]");
        until(2);
        assertEquals("FAILURE/BLOCKED", last());
        assertEquals(before, place("ann"));
        walk("ann", "[[4,4]]");
        until(3);
        assertEquals("SUCCESS/NONE", last(), "back is free");
    }

    @Test
    void nobodyWalksOffTheStage() {
        enter("bob", 4, 12);
        walk("bob", "[[4,90000]]");
        until(2);
        assertEquals("PARTIAL/BLOCKED", last());
        enter("bob", 90000, 4);
        assertEquals("FAILURE/INVALID_STATE", last());
    }

    @Test
    void twoWalkAtOnce() {
        enter("bob", 14, 4);
        walk("ann", "[[10,4],[16,6]]");
        walk("bob", "[[10,4],[2,2]]");
        ticks(5);
        assertEquals(1, results.size(), "only the entrance");
        assertTrue(place("ann").get(0) > 4.9 && place("bob").get(0) < 13.1, "both have moved");
        until(3);
        assertEquals(List.of(16.0, 6.0), place("ann"));
        assertEquals(List.of(2.0, 2.0), place("bob"));
    }

    @Test
    void aWalkIsEndedTruthfullyByAnotherByCancelByEntranceByLeavingAndByStop() {
        List<Runnable> ends = List.of(
            () -> walk("ann", "[[4,5]]"),
            () -> enter("ann", 4, 4),
            () -> stage.stop(IncomingIntent.of(Intent.STOP, (self, result) -> {})),
            () -> attempt(StageIntents.SET, stage::set, null, TWO_ROOMS));
        for (Runnable end : ends) {
            enter("ann", 4, 4);
            IncomingIntent walk = walk("ann", "[[10,4],[16,4]]");
            ticks(3);
            results.clear();
            end.run();
            assertEquals("PARTIAL/NONE", results.getFirst().status() + "/" + results.getFirst().reason());
            stage.cancel(walk);
        }
        enter("ann", 4, 4);
        IncomingIntent walk = walk("ann", "[[8,4]]");
        ticks(3);
        stage.cancel(walk);
        assertEquals("PARTIAL/NONE", last());
        List<Double> there = place("ann");
        ticks(5);
        assertEquals(there, place("ann"), "who was stopped stays");
        walk("ann", "[[8,4]]");
        results.clear();
        attempt(StageIntents.LEAVE, stage::leave, "ann", "{}");
        assertEquals(List.of("PARTIAL", "SUCCESS"), results.stream().map(each -> each.status().name()).toList());
        assertFalse(stage.knows("ann"));
    }

    @Test
    void whoHasNotEnteredCanDoNothing() {
        assertFalse(stage.knows("bob"));
        walk("bob", "[[4,4]]");
        assertEquals("FAILURE/INVALID_STATE", last());
        walk(null, "[[4,4]]");
        assertEquals("FAILURE/INVALID_STATE", last());
        attempt(StageIntents.SAY, stage::say, "bob", "{\"text\":\"hello\",\"aloud\":true}");
        assertEquals("FAILURE/INVALID_STATE", last());
        assertEquals(List.of(), noticed);
    }

    @Test
    void wordsAreSeenForAWhileAndHeardIfTheyAreAloud() {
        long before = labels();
        attempt(StageIntents.SAY, stage::say, "ann", "{\"text\":\"psst\",\"aloud\":false}");
        attempt(StageIntents.SAY, stage::say, "ann", "{\"text\":\"hello\",\"aloud\":true}");
        assertEquals(List.of("ann: hello"), noticed);
        assertEquals(before + 1, labels(), "the newer words replace the older");
        ticks(200);
        assertEquals(before, labels());
    }

    @Test
    void guestsLookAndMakeGestures() {
        attempt(StageIntents.LOOK, stage::look, "ann", "{\"at\":[8,4]}");
        assertEquals(-90, body("ann").getPosition().yaw(), 0.01, "east");
        attempt(StageIntents.LOOK, stage::look, "ann", "{\"at\":[4,4]}");
        assertEquals(-90, body("ann").getPosition().yaw(), 0.01, "nobody looks at where they stand");
        for (String manner : List.of("burst", "break", "drink", "touch", "slam")) {
            attempt(StageIntents.GESTURE, stage::gesture, "ann", "{\"manner\":\"" + manner + "\"}");
            assertEquals("SUCCESS/NONE", last());
        }
    }

    @Test
    void aNewSetSendsEverybodyOffAndLeavesNothingOfTheOld() {
        assertEquals(Block.BRICKS, instance.getBlock(0, House.FLOOR, 0));
        assertTrue(instance.getBlock(10, House.FLOOR, 4).isAir(), "a door");
        attempt(StageIntents.SET, stage::set, null, "{\"title\":\"Nothing\",\"rooms\":[],\"doors\":[]}");
        assertEquals(List.of("forgotten", "[Nothing]", "gathered"), noticed);
        assertFalse(stage.knows("ann"));
        assertEquals(0, instance.getEntities().size());
        assertTrue(instance.getBlock(0, House.FLOOR, 0).isAir());
    }

    @Test
    void aHouseThatIsTooLargeIsRefusedAndTheOldOneStays() {
        for (String room : List.of("-90000,\"y\":0,\"width\":9", "0,\"y\":0,\"width\":100000", "0,\"y\":0,\"width\":-9")) {
            attempt(StageIntents.SET, stage::set, null, "{\"title\":\"\",\"doors\":[],\"rooms\":["
                + "{\"id\":\"a\",\"name\":\"a\",\"height\":9,\"x\":" + room + "}]}");
            assertEquals("FAILURE/INVALID_STATE", last());
        }
        assertTrue(stage.knows("ann"));
        assertEquals(Block.BRICKS, instance.getBlock(0, House.FLOOR, 0));
    }

    @Test
    void anAnswerIsForOneWhoIsHere() {
        attempt(StageIntents.ANSWER, stage::answer, null, "{\"to\":\"eve\",\"text\":\"because\"}");
        assertEquals("SUCCESS/NONE", last());
        assertEquals(List.of("to eve: because"), noticed);
        attempt(StageIntents.ANSWER, stage::answer, null, "{\"to\":\"adam\",\"text\":\"because\"}");
        assertEquals("FAILURE/INVALID_STATE", last());
        attempt(StageIntents.ANSWER, stage::answer, null, "{\"to\":\"*\",\"text\":\"listen\"}");
        assertEquals("SUCCESS/NONE", last());
        assertEquals("listen", noticed.getLast(), "all may read it later");
    }

    @Test
    void whoComesLateIsToldWhoIsWhere() {
        enter("bob", 4, 4);
        enter("cleo", 14, 4);
        enter("dan", 4, 12);
        assertEquals(List.of("The hall: ann, bob", "The den: cleo", "Outside: dan"), stage.whereabouts());
    }
}
