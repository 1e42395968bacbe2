package dev.quorate.loadtest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;

/** {@code ./quorate bench} and {@code report}, run in this process. */
final class BenchCommand {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Path home;

    /**
     * Runs nothing yet.
     *
     * @param home where {@code quorate} is
     */
    BenchCommand(Path home) {
        this.home = home;
    }

    /** The exit status. */
    int run(String... arguments) {
        return LoadTest.commandLine(
                        home, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8))
                .execute(arguments);
    }

    /** What it has printed so far. */
    String out() {
        return out.toString(UTF_8);
    }

    /** What it has complained about so far. */
    String err() {
        return err.toString(UTF_8);
    }
}
