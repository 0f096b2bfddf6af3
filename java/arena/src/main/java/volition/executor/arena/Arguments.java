package volition.executor.arena;

import java.util.function.LongPredicate;

/** The arguments of {@link Main}, read strictly. */
final class Arguments {
    static final String USAGE =
        "usage: [--port N | --unix PATH | --stdio] [--map NAME|FILE] [--seed N] [--token T]"
            + " [--hz N] [--window N] [--leash] [--probe] [--requests FILE]";

    int port;
    String unix;
    boolean stdio;
    String map = "courtyard";
    long seed;
    String token = System.getenv("VOLITION_TOKEN");
    double hz = 1000.0 / Rules.TICK_MS;
    /** How many intents may be open at once. */
    int window = 8;
    /** End when standard input ends, together with the parent. */
    boolean leash;
    /** For tests: offer the feature {@code probe}. */
    boolean probe;
    /** Where requests are remembered; null where they are not. */
    String requests;

    private Arguments() {}

    /** IllegalArgumentException where an argument is unknown, lacks its value, or has a bad one. */
    static Arguments read(String[] words) {
        Arguments read = new Arguments();
        int places = 0;
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            switch (word) {
                case "--stdio":
                    read.stdio = true;
                    places++;
                    break;
                case "--leash":
                    read.leash = true;
                    break;
                case "--probe":
                    read.probe = true;
                    break;
                case "--port":
                    read.port = (int) number(word, value(words, ++i), port -> port >= 0 && port <= 65535);
                    places++;
                    break;
                case "--unix":
                    read.unix = value(words, ++i);
                    places++;
                    break;
                case "--map":
                    read.map = value(words, ++i);
                    break;
                case "--seed":
                    read.seed = number(word, value(words, ++i), seed -> seed >= 0 && seed <= Rules.LARGEST_SEED);
                    break;
                case "--window":
                    read.window = (int) number(word, value(words, ++i), window -> window >= 1 && window <= 4096);
                    break;
                case "--requests":
                    read.requests = value(words, ++i);
                    break;
                case "--token":
                    read.token = value(words, ++i);
                    break;
                case "--hz":
                    read.hz = pace(value(words, ++i));
                    break;
                default:
                    throw new IllegalArgumentException("'" + word + "' is not an option");
            }
        }
        if (places > 1) {
            throw new IllegalArgumentException("--port, --unix and --stdio exclude each other");
        }
        if (read.stdio && read.leash) {
            throw new IllegalArgumentException("--stdio already ends with its input; leave --leash out");
        }
        return read;
    }

    private static String value(String[] words, int at) {
        if (at >= words.length) {
            throw new IllegalArgumentException(words[at - 1] + " needs a value");
        }
        return words[at];
    }

    private static long number(String word, String value, LongPredicate fits) {
        try {
            long number = Long.parseLong(value);
            if (fits.test(number)) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Reported below.
        }
        throw new IllegalArgumentException("'" + value + "' is not a value for " + word);
    }

    private static double pace(String value) {
        try {
            double hz = Double.parseDouble(value);
            if (hz >= 0.1 && hz <= 1000) {
                return hz;
            }
        } catch (NumberFormatException none) {
            // Reported below.
        }
        throw new IllegalArgumentException("'" + value + "' is not a pace: 0.1 to 1000 ticks per second");
    }
}
