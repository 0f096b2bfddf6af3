package volition.executor.arena;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reads a text map: a line {@code name: NAME}, then the rows; empty lines and lines that begin with {@code ;} are skipped.
 * All mistakes are reported at once, by line and column counted from 1.
 */
final class MapText {
    /** The names of the maps that come with the arena. */
    static final List<String> SHIPPED = List.of("courtyard", "foundry");

    private static final String LEGEND = "#.~-@&";

    private static final class Line {
        final int number;
        final String text;

        Line(int number, String text) {
            this.number = number;
            this.text = text;
        }
    }

    private final String where;
    private final List<Line> lines = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    private MapText(String text, String where) {
        this.where = where;
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            String stripped = line.replaceAll("[ \t\r]+$", "");
            if (!stripped.isEmpty() && !stripped.startsWith(";")) {
                lines.add(new Line(number, stripped));
            }
        }
    }

    /** The map in a text; IllegalArgumentException with every mistake where there is none. */
    static Ground parse(String text, String where) {
        return new MapText(text, where).ground();
    }

    /** A map that comes with the arena, by its name, or else the map in a file. */
    static Ground named(String name) throws IOException {
        if (!SHIPPED.contains(name)) {
            return parse(decoded(Files.readAllBytes(Path.of(name)), name), name);
        }
        try (InputStream stream = MapText.class.getResourceAsStream(name + ".txt")) {
            return parse(decoded(stream.readAllBytes(), name), name);
        }
    }

    private static String decoded(byte[] bytes, String where) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException wrong) {
            throw new IllegalArgumentException(where + ": the map is not UTF-8");
        }
    }

    private Ground ground() {
        String name = name();
        checkRows();
        List<int[]> actor = starts('@');
        List<int[]> opponent = starts('&');
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
        List<String> rows = lines.stream().map(line -> line.text.replace('@', '.').replace('&', '.'))
            .collect(Collectors.toList());
        return new Ground(name, rows, actor, opponent);
    }

    private String name() {
        if (lines.isEmpty() || !lines.get(0).text.startsWith("name:")) {
            problem(lines.isEmpty() ? 1 : lines.get(0).number, 0, "the map has no name; write a line 'name: NAME' first");
            return "";
        }
        Line line = lines.remove(0);
        String name = line.text.substring("name:".length()).replaceAll("^[ \t]+", "");
        if (!name.matches("[a-z][a-z0-9-]{0,31}")) {
            problem(line.number, 0, "a name is a small letter, then at most 31 small letters, digits and hyphens");
        }
        return name;
    }

    private void checkRows() {
        int width = lines.isEmpty() ? 0 : lines.get(0).text.length();
        int least = Rules.SMALLEST_MAP;
        int most = Rules.LARGEST_MAP;
        if (width < least || width > most || lines.size() < least || lines.size() > most) {
            String size = width + " wide and " + lines.size() + " high";
            problems.add(where + ": the map is " + size + ", not " + least + " to " + most);
        }
        for (int row = 0; row < lines.size(); row++) {
            Line line = lines.get(row);
            if (line.text.length() != width) {
                problem(line.number, 0, "the row is " + line.text.length() + " wide, and the first one " + width);
            }
            for (int column = 0; column < line.text.length(); column++) {
                char tile = line.text.charAt(column);
                if (LEGEND.indexOf(tile) < 0) {
                    problem(line.number, column + 1, "'" + tile + "' is not in the legend " + LEGEND);
                }
                boolean edge = row == 0 || row == lines.size() - 1 || column == 0 || column == line.text.length() - 1;
                if (edge && tile != Ground.WALL) {
                    problem(line.number, column + 1, "the border has a gap");
                }
            }
        }
    }

    /** The places of a body on the map, row by row; none is a mistake. */
    private List<int[]> starts(char body) {
        List<int[]> found = new ArrayList<>();
        for (int row = 0; row < lines.size(); row++) {
            String text = lines.get(row).text;
            for (int column = text.indexOf(body); column >= 0; column = text.indexOf(body, column + 1)) {
                found.add(Ground.centre(column, row));
            }
        }
        if (found.isEmpty()) {
            problems.add(where + ": there is no '" + body + "' on the map; put it on one tile or on several");
        }
        return found;
    }

    private void problem(int line, int column, String what) {
        problems.add(where + ", line " + line + (column > 0 ? ", column " + column : "") + ": " + what);
    }
}
