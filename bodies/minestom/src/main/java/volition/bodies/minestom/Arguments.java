package volition.bodies.minestom;

/** The arguments of {@link Main}, read strictly. */
final class Arguments {
    static final String USAGE = "usage: [--stage] [--port N] [--game-port N] [--seed N] [--token T] [--probe] [--leash]";
    private static final long LARGEST_SEED = (1L << 53) - 1;
    private static final int LARGEST_PORT = 65535;

    boolean stage;
    int port;
    int gamePort = 25565;
    long seed;
    String token = System.getenv("VOLITION_TOKEN");
    boolean probe;
    boolean leash;

    private Arguments() {}

    /** IllegalArgumentException where an argument is unknown, lacks its value, or has a bad one. */
    static Arguments read(String[] words) {
        Arguments read = new Arguments();
        for (int i = 0; i < words.length; i++) {
            switch (words[i]) {
                case "--stage" -> read.stage = true;
                case "--probe" -> read.probe = true;
                case "--leash" -> read.leash = true;
                case "--port" -> read.port = (int) number(words, ++i, LARGEST_PORT);
                case "--game-port" -> read.gamePort = (int) number(words, ++i, LARGEST_PORT);
                case "--seed" -> read.seed = number(words, ++i, LARGEST_SEED);
                case "--token" -> read.token = value(words, ++i);
                default -> throw new IllegalArgumentException("'" + words[i] + "' is not an option");
            }
        }
        return read;
    }

    private static String value(String[] words, int at) {
        if (at >= words.length) {
            throw new IllegalArgumentException(words[at - 1] + " needs a value");
        }
        return words[at];
    }

    private static long number(String[] words, int at, long largest) {
        String value = value(words, at);
        try {
            long number = Long.parseLong(value);
            if (number >= 0 && number <= largest) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Reported below.
        }
        throw new IllegalArgumentException("'" + value + "' is not a value for " + words[at - 1]);
    }
}
