package volition.executor.arena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps are read as the rules say, and all mistakes are told at once. */
class MapTextTest {
    @Test
    void theMapsThatComeAlongCanBePlayed() throws IOException {
        for (String name : MapText.SHIPPED) {
            Ground ground = MapText.named(name);
            assertEquals(name, ground.name);
            for (int[] start : ground.actorStarts) {
                assertEquals(Ground.FLOOR, ground.tile(start[0], start[1]));
            }
        }
    }

    @Test
    void aFileIsAMapToo(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("closet.txt");
        Files.writeString(file, "; small\r\nname: closet  \n\n#####\n#@&&#\t\n#####\n");
        Ground ground = MapText.named(file.toString());
        assertEquals(List.of("#####", "#...#", "#####"), ground.rows);
        assertArrayEquals(new int[][] {{1500, 1500}}, ground.actorStarts.toArray());
        assertArrayEquals(new int[][] {{2500, 1500}, {3500, 1500}}, ground.opponentStarts.toArray());
        Files.write(file, new byte[] {(byte) 0xFF});
        assertThrows(IllegalArgumentException.class, () -> MapText.named(file.toString()));
    }

    @Test
    void allMistakesAreReportedAtOnce() {
        String text = "name: Closet\n#####\n#@.@\n#.x.#\n##.##";
        String said = assertThrows(IllegalArgumentException.class, () -> MapText.parse(text, "m")).getMessage();
        List<String> parts = List.of(
            "m, line 1", "m, line 3: the row is 4", "'x'", "line 5, column 3", "no '&' on the map");
        for (String part : parts) {
            assertTrue(said.contains(part), part + " in " + said);
        }
        assertThrows(IllegalArgumentException.class, () -> MapText.parse("", "m"));
    }

    @Test
    void argumentsAreReadStrictly() {
        Arguments given = Arguments.read("--unix a.sock --map foundry --seed 7 --hz 60 --token t --leash".split(" "));
        assertEquals("a.sock foundry 7 60.0 t", String.join(
            " ", given.unix, given.map, String.valueOf(given.seed), String.valueOf(given.hz), given.token));
        for (String wrong : List.of(
            "--port", "--port x",
            "--port 70000", "--seed -1", "--hz 0", "--hz NaN", "--window 0", "--dance", "--port 1 --stdio")) {
            assertThrows(IllegalArgumentException.class, () -> Arguments.read(wrong.split(" ")), wrong);
        }
    }
}
