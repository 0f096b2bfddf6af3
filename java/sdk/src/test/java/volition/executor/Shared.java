package volition.executor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that implementations in all languages are held to. */
public final class Shared {
    private Shared() {}

    /**
     * The file that a system property names, or the one at a place relative to this module. The module may stand alone: a
     * file that nobody named and that is not there skips its test.
     */
    public static byte[] read(String property, String usual) throws IOException {
        String named = System.getProperty(property);
        Path path = Path.of(named == null ? usual : named);
        assumeTrue(named != null || Files.exists(path), path + " is not there; name it with -D" + property + "=FILE");
        return Files.readAllBytes(path);
    }
}
