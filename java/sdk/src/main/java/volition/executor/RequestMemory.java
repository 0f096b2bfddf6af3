package volition.executor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * What an executor remembers of requests, in a file: which it began, their results, and the highest tokens. So no request
 * is done twice, over connections and restarts.
 *
 * <p>The file is written before anything is done and before anything is answered, and forced to the disk. A request that began
 * and has no result was interrupted: it may have happened, so it is never attempted again. The last line of a file that a
 * crash has torn was never relied on, and is cut. One process at a time may have a file open.
 */
public final class RequestMemory implements AutoCloseable {
    /** The file cannot be written: nothing is attempted, or the outcome of an attempt is not known any more. */
    static final String NOT_REMEMBERED = "NOT_REMEMBERED";
    private static final String HEADER = "volition requests 1";

    private final Map<String, String> digests = new HashMap<>();
    private final Map<String, Result> results = new HashMap<>();
    private final Map<String, Long> fences = new HashMap<>();
    private final FileChannel file;
    /** Where the last whole line ends. */
    private long end;
    /** Whether something may follow it. */
    private boolean torn;

    /** Opens a memory, or begins a new one; IOException where the file is something else, or another process has it. */
    public RequestMemory(Path path) throws IOException {
        this(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE), path);
    }

    /** A memory in a file that is open, for tests of disks that fail. */
    RequestMemory(FileChannel file, Path path) throws IOException {
        this.file = file;
        try {
            if (file.tryLock() == null) {
                throw new IOException(path + " is in use by another process");
            }
            read(path);
        } catch (UncheckedIOException failed) {
            file.close();
            throw failed.getCause();
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Null where a request may be attempted, which is remembered first; otherwise its result, or why it is refused. */
    Result admit(RequestMark mark) {
        String digest = digests.get(mark.request);
        if (digest != null) {
            if (!digest.equals(mark.digest)) {
                return Result.failure(Reason.INVALID_STATE).because("OTHER_DIGEST");
            }
            return results.getOrDefault(mark.request, Result.failure(Reason.UNKNOWN).because("INTERRUPTED"));
        }
        if (mark.token < fences.getOrDefault(mark.resource, 0L)) {
            return Result.failure(Reason.INVALID_STATE).because("STALE_TOKEN");
        }
        fence(mark.resource, mark.token);
        append("begin", mark.request, mark.digest);
        digests.put(mark.request, mark.digest);
        return null;
    }

    /** Remembers the whole result of a request that was admitted; the first one counts. */
    void finish(RequestMark mark, Result result) {
        if (digests.containsKey(mark.request) && !results.containsKey(mark.request)) {
            append(
                "end", mark.request, result.status().name(), result.reason().name(),
                String.valueOf(result.outOfPlace()), String.valueOf(result.damageDealt()),
                String.valueOf(result.damageReceived()), String.valueOf(result.actionWasted()),
                String.valueOf(result.alive()), String.valueOf(result.timestamp()), String.valueOf(result.tookMs()),
                result.note() == null ? "" : "because " + result.note());
            results.put(mark.request, result);
        }
    }

    /** Raises the lowest token that is accepted for a resource; it never falls. */
    void fence(String resource, long token) {
        if (token > fences.getOrDefault(resource, 0L)) {
            append("fence", resource, String.valueOf(token));
            fences.put(resource, token);
        }
    }

    /** Raises the tokens of all resources that a bridge names in its greeting; null where it names none. */
    void fenceAll(JsonObject tokens) {
        for (int at = 0; tokens != null && at < tokens.size(); at++) {
            fence(tokens.key(at), tokens.integer(tokens.key(at), 0));
        }
    }

    private void append(String... words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(line.length() == 0 ? "" : " ").append(URLEncoder.encode(word, StandardCharsets.UTF_8));
        }
        write(line.append('\n').toString());
    }

    /**
     * Writes a line and forces it to the disk. A line that cannot be written is cut off at once or, where that fails too,
     * before the next one; a crash in between leaves a line that was never relied on.
     */
    private void write(String line) {
        try {
            if (torn) {
                cut();
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(line);
            long at = end;
            while (bytes.hasRemaining()) {
                at += file.write(bytes, at);
            }
            file.force(true);
            end = at;
        } catch (IOException broken) {
            torn = true;
            try {
                cut();
            } catch (IOException still) {
                broken.addSuppressed(still);
            }
            throw new UncheckedIOException(broken);
        }
    }

    private void cut() throws IOException {
        file.truncate(end);
        torn = false;
    }

    private void read(Path path) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
        while (bytes.hasRemaining() && file.read(bytes) >= 0) {
            continue;
        }
        String content = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        String whole = content.substring(0, content.lastIndexOf('\n') + 1);
        end = whole.getBytes(StandardCharsets.UTF_8).length;
        cut();
        if (whole.isEmpty()) {
            write(HEADER + "\n");
            return;
        }
        String[] lines = whole.split("\n");
        try {
            if (!lines[0].equals(HEADER)) {
                throw new IllegalArgumentException("its first line is another one");
            }
            for (int i = 1; i < lines.length; i++) {
                take(lines[i].split(" ", -1));
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException wrong) {
            throw new IOException(path + " is not a memory of requests: " + wrong.getMessage(), wrong);
        }
    }

    private void take(String[] encoded) {
        String[] words = new String[encoded.length];
        for (int i = 0; i < encoded.length; i++) {
            words[i] = URLDecoder.decode(encoded[i], StandardCharsets.UTF_8);
        }
        switch (words[0]) {
            case "begin":
                digests.put(words[1], words[2]);
                break;
            case "fence":
                fences.put(words[1], Long.parseLong(words[2]));
                break;
            case "end":
                results.put(words[1], new Result(
                    Status.valueOf(words[2]), Reason.valueOf(words[3]), Boolean.parseBoolean(words[4]),
                    Double.parseDouble(words[5]), Double.parseDouble(words[6]), Boolean.parseBoolean(words[7]),
                    Boolean.valueOf(words[8]), Long.valueOf(words[9]), Double.valueOf(words[10]),
                    words[11].isEmpty() ? null : words[11].substring("because ".length())));
                break;
            default:
                throw new IllegalArgumentException("a line begins with " + words[0]);
        }
    }
}
