package volition.bodies.minestom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import net.minestom.server.MinecraftServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volition.executor.Declaration;
import volition.executor.IncomingIntent;
import volition.executor.Intent;
import volition.executor.Reason;
import volition.executor.Result;
import volition.executor.Status;

/** The laws of the yard, stepped by hand: no network, no clock, Minestom's own blocks and physics. */
class YardGameTest {
    private final List<String> events = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private YardGame game;
    private Creature hero;

    @BeforeAll
    static void init() {
        MinecraftServer.init();
        MinecraftServer.process().dispatcher().start();
    }

    @BeforeEach
    void begin() {
        game = new YardGame(Main.world(), 0, events::add);
        hero = game.hero.body;
        ticks(1);
    }

    /** Lets the world and then the game step, so often. */
    private void ticks(int count) {
        for (int i = 0; i < count; i++) {
            MinecraftServer.process().ticker().tick(System.nanoTime());
            game.step();
        }
    }

    private IncomingIntent move(double x, double y) {
        IncomingIntent attempt = IncomingIntent.of(Intent.MOVE, (self, result) -> results.add(result), x, y, 0);
        game.move(attempt);
        return attempt;
    }

    private IncomingIntent bare(Intent intent) {
        return IncomingIntent.of(intent, (self, result) -> results.add(result));
    }

    private IncomingIntent own(Declaration declaration, String parameters) {
        return IncomingIntent.of(declaration, (self, result) -> results.add(result), parameters);
    }

    private String last() {
        Result result = results.getLast();
        return result.status() + "/" + result.reason();
    }

    private void stand(double x, double y) {
        hero.begin(new int[] {(int) (x * Yard.TILE), (int) (y * Yard.TILE)}, Facing.EAST);
        ticks(1);
    }

    private void banish() {
        game.foe.hurt(Creature.HEALTH);
    }

    @Test
    void aMoveArrivesExactlyAndOnlyThenSucceeds() {
        stand(1.5, 5.5);
        move(2, 0.5);
        ticks(10);
        assertEquals(0, results.size());
        ticks(1);
        assertEquals("SUCCESS/NONE", last());
        assertEquals(List.of(3500, 6000, 0), List.of(hero.x(), hero.y(), hero.z()));
        assertEquals(0, hero.velocityX, "a body that has arrived does not slide");
    }

    @Test
    void wallsBlockAndTheResultSaysHowFarItCame() {
        stand(2.5, 2.5);
        move(-3, 0);
        ticks(20);
        assertEquals("FAILURE/INVALID_STATE", last(), "off the map");
        move(-2, 0);
        ticks(20);
        assertEquals("PARTIAL/BLOCKED", last());
        int there = hero.x();
        move(-1, 0);
        ticks(2);
        assertEquals("FAILURE/BLOCKED", last());
        assertEquals(there, hero.x(), "the whole step or none");
        assertTrue(there > Yard.TILE, "in front of the wall");
    }

    @Test
    void aMoveSupersedesAnotherAndStopEndsAll() {
        stand(1.5, 5.5);
        move(4, 0);
        ticks(2);
        move(0, 1);
        assertEquals("PARTIAL/NONE", last());
        ticks(2);
        game.stop(bare(Intent.STOP));
        assertEquals(List.of("PARTIAL", "PARTIAL", "SUCCESS"), results.stream().map(each -> each.status().name()).toList());
        int[] place = {hero.x(), hero.y()};
        ticks(5);
        assertEquals(List.of(place[0], place[1]), List.of(hero.x(), hero.y()));
    }

    @Test
    void aJumpLeavesTheGroundAndComesBack() {
        game.jump(bare(Intent.JUMP));
        ticks(2);
        assertEquals("SUCCESS/NONE", last());
        assertTrue(hero.z() > 0);
        game.jump(bare(Intent.JUMP));
        assertEquals("FAILURE/INVALID_STATE", last(), "in mid-air");
        game.stop(bare(Intent.STOP));
        assertEquals("PARTIAL/INVALID_STATE", last(), "nobody can be stopped in the air");
        ticks(20);
        assertEquals(0, hero.z());
        assertEquals(0, game.hero.air);
    }

    @Test
    void aJumpThatIsStoppedAtOnceDoesNotLeaveTheGround() {
        game.jump(bare(Intent.JUMP));
        game.stop(bare(Intent.STOP));
        assertEquals(List.of("PARTIAL", "SUCCESS"), results.stream().map(each -> each.status().name()).toList());
        ticks(5);
        assertEquals(0, hero.z());
    }

    @Test
    void underABeamNobodyJumps() {
        game.yard.set(2, 2, 2, net.minestom.server.instance.block.Block.OAK_PLANKS);
        stand(2.5, 2.5);
        game.jump(bare(Intent.JUMP));
        ticks(3);
        assertEquals("FAILURE/BLOCKED", last());
        assertTrue(results.getLast().actionWasted());
    }

    @Test
    void aSwingHitsWhoIsAheadAndInReach() {
        game.primaryAttack(bare(Intent.PRIMARY_ATTACK));
        assertEquals("FAILURE/INVALID_STATE", last(), "out of reach");
        stand(5.5, 1.5);
        game.foe.body.begin(new int[] {6500, 1500}, Facing.WEST);
        game.primaryAttack(bare(Intent.PRIMARY_ATTACK));
        assertEquals("SUCCESS/NONE", last());
        assertEquals(25, results.getLast().damageDealt());
        assertEquals(75, game.foe.body.health());
        game.primaryAttack(bare(Intent.PRIMARY_ATTACK));
        assertEquals("FAILURE/COOLDOWN", last());
        game.hero.attackWait = 0;
        hero.turn(Facing.WEST);
        game.primaryAttack(bare(Intent.PRIMARY_ATTACK));
        assertTrue(results.getLast().actionWasted(), "with its back to the opponent");
        assertEquals(75, game.foe.body.health());
        game.hero.stamina = 0;
        game.hero.attackWait = 0;
        game.primaryAttack(bare(Intent.PRIMARY_ATTACK));
        assertEquals("FAILURE/RESOURCE_EXHAUSTED", last());
    }

    @Test
    void aHazardKillsAndAnotherEpisodeBegins() {
        banish();
        stand(12.5, 3.5);
        move(0.5, 0);
        long episode = game.episode();
        while (hero.isAlive()) {
            ticks(1);
        }
        assertTrue(events.contains("actor_died"));
        move(1, 0);
        assertEquals("FAILURE/INVALID_STATE", last());
        assertTrue(results.getLast().outOfPlace());
        ticks(20);
        assertEquals(episode + 1, game.episode());
        assertTrue(hero.isAlive());
        assertTrue(events.contains("episode_began"));
    }

    @Test
    void whatIsDugIsGoneAndCanBePlacedAgain() {
        banish();
        stand(6.5, 2.5);
        move(1, 0);
        ticks(5);
        assertEquals(Reason.BLOCKED, results.getLast().reason());
        game.works().dig(own(Works.DIG, "{\"at\":[7,2,0]}"));
        ticks(9);
        assertEquals('#', game.yard.tile(7, 2), "digging takes its time");
        ticks(1);
        assertEquals("SUCCESS/NONE", last());
        game.works().dig(own(Works.DIG, "{\"at\":[7,2,1]}"));
        ticks(10);
        assertEquals('-', game.yard.tile(7, 2), "the way is free, below what is left of the wall");
        move(0.8, 0);
        ticks(5);
        assertEquals("SUCCESS/NONE", last());
        assertEquals(6, game.hero.blocks);
        game.works().place(own(Works.PLACE, "{\"at\":[7,2,0]}"));
        assertEquals("FAILURE/BLOCKED", last(), "where a body is");
        move(-1, 0);
        ticks(6);
        game.works().place(own(Works.PLACE, "{\"at\":[7,2,0]}"));
        assertEquals("SUCCESS/NONE", last());
        assertEquals('#', game.yard.tile(7, 2));
        assertEquals(5, game.hero.blocks);
    }

    @Test
    void workHasItsLimits() {
        stand(1.5, 1.5);
        game.works().dig(own(Works.DIG, "{\"at\":[0,1,0]}"));
        assertEquals("FAILURE/BLOCKED", last(), "the border");
        for (String at : List.of("[9,9,0]", "[2,2,0]", "[2,2,-1]", "[-9007199254740991,9007199254740991,1]")) {
            game.works().dig(own(Works.DIG, "{\"at\":" + at + "}"));
            assertEquals("FAILURE/INVALID_STATE", last(), at);
            game.works().use(own(Works.USE, "{\"at\":" + at + "}"));
            assertEquals("FAILURE/INVALID_STATE", last(), at);
        }
        game.works().place(own(Works.PLACE, "{\"at\":[3,3,2]}"));
        assertEquals("FAILURE/INVALID_STATE", last(), "in mid-air");
        game.hero.blocks = 0;
        game.works().place(own(Works.PLACE, "{\"at\":[3,3,0]}"));
        assertEquals("FAILURE/RESOURCE_EXHAUSTED", last());
        game.works().look(own(Works.LOOK, "{\"at\":[1e300,-1e300]}"));
        assertEquals("SUCCESS/NONE", last());
    }

    @Test
    void aStopEndsTheDigging() {
        stand(2.5, 1.5);
        game.works().dig(own(Works.DIG, "{\"at\":[4,1,0]}"));
        ticks(3);
        game.stop(bare(Intent.STOP));
        assertEquals("PARTIAL/NONE", results.getFirst().status() + "/" + results.getFirst().reason());
        ticks(20);
        assertEquals(2, results.size());
        assertEquals(4, game.hero.blocks);
    }

    @Test
    void aGateIsAWallWhileItIsClosed() {
        banish();
        stand(3.5, 3.5);
        game.works().use(own(Works.USE, "{\"at\":[4,3,0]}"));
        assertEquals("SUCCESS/NONE", last());
        assertEquals('#', game.yard.tile(4, 3));
        stand(4.5, 2.5);
        move(0, 1);
        ticks(6);
        assertEquals(Reason.BLOCKED, results.getLast().reason());
        game.works().use(own(Works.USE, "{\"at\":[4,3,0]}"));
        stand(4.5, 3.5);
        game.works().use(own(Works.USE, "{\"at\":[4,3,0]}"));
        assertEquals("FAILURE/BLOCKED", last(), "nobody is shut in a gate");
    }

    @Test
    void aResetDependsOnTheSeedAlone() {
        game.reset(7);
        List<String> first = seen();
        move(1, 1);
        ticks(7);
        game.works().place(own(Works.PLACE, "{\"at\":[4,2,0]}"));
        game.open.clear();
        game.reset(7);
        assertEquals(first, seen());
        List<List<String>> worlds = new ArrayList<>();
        for (int seed = 0; seed < 8; seed++) {
            game.reset(seed);
            worlds.add(seen());
        }
        assertNotEquals(1, worlds.stream().distinct().count(), "the seed decides");
    }

    private List<String> seen() {
        ticks(0);
        List<String> seen = new ArrayList<>(game.yard.rows());
        seen.add(hero.x() + " " + hero.y() + " " + game.foe.body.x() + " " + game.foe.body.y() + " " + game.hero.blocks);
        return seen;
    }

    @Test
    void theOpponentChasesStrikesAndAvoidsHazards() {
        stand(3.5, 5.5);
        game.foe.body.begin(new int[] {7500, 5500}, Facing.WEST);
        int struck = 0;
        for (int i = 0; i < 60 && struck == 0; i++) {
            ticks(1);
            struck = game.hero.damageReceived;
            assertFalse(game.yard.tileAt(game.foe.body.x(), game.foe.body.y()) == '~');
        }
        assertEquals(20, struck);
        assertEquals(80, hero.health());
    }

    @Test
    void aResultTellsOfTheWholeTick() {
        stand(1.5, 5.5);
        List<Integer> seen = new ArrayList<>();
        game.move(IncomingIntent.of(Intent.MOVE, (self, result) -> seen.add(game.foe.body.x()), 0.2, 0, 0));
        game.foe.body.begin(new int[] {9500, 8500}, Facing.WEST);
        ticks(1);
        assertEquals(List.of(game.foe.body.x()), seen, "the opponent has made its step too");
        assertNotEquals(9500, seen.getFirst());
    }

    @Test
    void aCancelEndsWhatItNamesAlone() {
        stand(1.5, 5.5);
        IncomingIntent walk = move(3, 0);
        game.jump(bare(Intent.JUMP));
        game.cancel(walk);
        assertEquals(1, results.size());
        assertEquals(Status.PARTIAL, results.getFirst().status());
        ticks(2);
        assertEquals("SUCCESS/NONE", last());
    }
}
