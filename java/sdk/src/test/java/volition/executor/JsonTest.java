package volition.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is written can be read, what is read is what was written, and nothing else gets through. */
class JsonTest {
    private static final JsonReader READER = new JsonReader();

    private static JsonObject read(String text) throws Fault {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return READER.read(bytes, 0, bytes.length);
    }

    private static String code(byte[] bytes) {
        try {
            READER.read(bytes, 0, bytes.length);
            return "";
        } catch (Fault fault) {
            return fault.code.wire;
        }
    }

    private static String written(JsonWriter out) {
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }

    @Test
    void decimalsAreTheNearestDoubles() throws Fault {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String digits = List.of(
                Double.toString(Double.longBitsToDouble(random.nextLong())),
                random.nextInt(100_000) + "." + random.nextInt(1_000_000_000),
                "-0." + "0".repeat(random.nextInt(12)) + random.nextInt(1000),
                random.nextInt(100) + "." + random.nextInt(100) + "e" + (random.nextInt(40) - 20)).get(i % 4);
            if (!digits.contains("N") && !digits.contains("I")) {
                Object value = read("{\"x\":" + digits + "}").get("x");
                assertEquals(Double.valueOf(Double.parseDouble(digits)), value, digits);
            }
        }
    }

    @Test
    void integersAreExactUpToTheLimit() throws Fault {
        assertEquals(9007199254740991L, read("{\"x\":9007199254740991}").get("x"));
        assertEquals(-9007199254740991L, read("{\"x\":-9007199254740991}").get("x"));
        assertEquals(0L, read("{\"x\":-0}").get("x"));
        assertEquals("bad_number", code("{\"x\":9007199254740992}".getBytes(StandardCharsets.UTF_8)));
        assertEquals("bad_number", code(("{\"x\":" + "9".repeat(5000) + "}").getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void bytesThatAreNotUtf8AreFoundWhereverTheyStand() {
        int[][] wrong = {
            {0x80}, {0xC0, 0x80}, {0xC1, 0xBF}, {0xE0, 0x9F, 0x80}, {0xED, 0xA0, 0x80}, {0xF0, 0x8F, 0x80, 0x80},
            {0xF4, 0x90, 0x80, 0x80}, {0xF5, 0x80, 0x80, 0x80}, {0xC3}, {0xE2, 0x82}, {0xFF}
        };
        for (int[] units : wrong) {
            StringBuilder text = new StringBuilder();
            for (int unit : units) {
                text.append((char) unit);
            }
            for (String line : List.of("{\"x\":\"" + text + "\"}", "{\"x\":1}" + text, text + "{}")) {
                assertEquals("not_utf8", code(line.getBytes(StandardCharsets.ISO_8859_1)), line);
            }
        }
        assertEquals("", code("{\"x\":\"\u00e9\u20ac\ud83d\ude00\uffff\"}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void halfACharacterIsNoText() {
        for (String half : List.of("\\ud800", "\\udc00", "\\ud800x", "\\ud800\\u0041", "\\ud800\\ud800", "\\udc00\\ud800")) {
            assertEquals("not_json", code(("{\"x\":\"" + half + "\"}").getBytes(StandardCharsets.UTF_8)), half);
        }
        assertEquals("", code("{\"x\":\"\\uD83D\\ude00\"}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void theSameAnswerWhateverWasReadBefore() throws Fault {
        JsonObject first = read("{\"a\":{\"b\":[1,{}]},\"c\":\"d\"}");
        assertEquals(2, first.size());
        JsonObject again = read("{\"c\":null}");
        assertEquals(1, again.size());
        assertEquals(null, again.get("a"));
        StringBuilder many = new StringBuilder("{\"k0\":0");
        for (int i = 1; i < 5000; i++) {
            many.append(",\"k").append(i).append("\":").append(i);
        }
        assertEquals(4999L, read(many + "}").get("k4999"));
        assertEquals("duplicate_key", code((many + ",\"k17\":1}").getBytes(StandardCharsets.UTF_8)));
        assertEquals(1, read("{\"k17\":1}").size());
    }

    @Test
    void whatIsWrittenIsReadBack() throws Fault {
        Random random = new Random(3);
        for (int round = 0; round < 2000; round++) {
            List<Object> expected = new ArrayList<>();
            JsonWriter out = new JsonWriter();
            out.object().array("x");
            for (int i = 0; i < 5; i++) {
                int kind = random.nextInt(4);
                if (kind == 0) {
                    long number = random.nextLong() >> (11 + random.nextInt(53));
                    out.value(number);
                    expected.add(number);
                } else if (kind == 1) {
                    double number = random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
                    out.value(number);
                    expected.add(number);
                } else if (kind == 2) {
                    String text = random.ints(random.nextInt(90), 0, 0x11000)
                        .filter(point -> point < 0xD800 || point > 0xDFFF)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
                    out.value(text).value(text);
                    expected.add(text);
                    expected.add(text);
                } else {
                    out.value(true);
                    expected.add(true);
                }
            }
            out.end().end();
            assertEquals(expected, read(written(out)).get("x"));
        }
    }

    @Test
    void whatJsonCannotHoldIsRefusedWhereItIsWritten() {
        JsonWriter out = new JsonWriter();
        out.object();
        assertThrows(IllegalStateException.class, () -> out.value(1));
        out.key("x");
        assertThrows(IllegalArgumentException.class, () -> out.value(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> out.value(Double.NEGATIVE_INFINITY));
        assertThrows(IllegalArgumentException.class, () -> out.value(1L << 53));
        assertThrows(IllegalStateException.class, () -> out.key("y"));
        assertThrows(IllegalStateException.class, out::end);
        out.value(1).end();
        assertThrows(IllegalStateException.class, out::end);
        assertEquals("{\"x\":1}", written(out));
        JsonWriter deep = new JsonWriter();
        for (int i = 0; i < JsonReader.MAX_DEPTH; i++) {
            deep.array();
        }
        assertThrows(IllegalStateException.class, deep::array);
        assertThrows(IllegalArgumentException.class, () -> new JsonWriter().value("\ud800"));
    }

    @Test
    void noBytesWhateverTheyAreDoMoreThanFail() throws Fault {
        byte[] seed = (Talk.HELLO + Talk.intent(1, "MOVE", ",\"parameters\":{\"vector\":[1,-2.5e1,\"\\u00e9\"]}"))
            .getBytes(StandardCharsets.UTF_8);
        Random random = new Random(11);
        int good = 0;
        for (int round = 0; round < 50_000; round++) {
            int from = random.nextInt(4) == 0 ? random.nextInt(seed.length) : Talk.HELLO.length();
            byte[] bytes = Arrays.copyOfRange(seed, from, seed.length);
            for (int change = random.nextInt(4); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            good += code(bytes).isEmpty() ? 1 : 0;
        }
        assertTrue(good > 1000 && good < 40_000, good + " were JSON");
    }

    @Test
    void aKeyTwiceIsRefusedWhereItIsWritten() {
        JsonWriter out = new JsonWriter();
        out.object().field("a", 1).object("b").field("a", 2).end().array("c");
        out.object().field("a", 3).end().object().field("a", 4).end().end();
        Throwable thrown = assertThrows(IllegalStateException.class, () -> out.field("a", 5));
        assertTrue(thrown.getMessage().contains("'a' is in this object already"));
        assertThrows(IllegalStateException.class, () -> out.object("c"));
        out.end();
        assertEquals("{\"a\":1,\"b\":{\"a\":2},\"c\":[{\"a\":3},{\"a\":4}]}", written(out));
        out.rewind(0);
        out.object();
        for (int i = 0; i < 1000; i++) {
            out.field("k" + i, i);
        }
        assertThrows(IllegalStateException.class, () -> out.field("k500", 0));
        out.end();
        out.rewind(0);
        out.object().field("k500", 1).end();
        assertEquals("{\"k500\":1}", written(out));
    }
}
