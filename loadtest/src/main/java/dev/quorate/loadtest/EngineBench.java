package dev.quorate.loadtest;

import static dev.quorate.cli.local.Commands.violation;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.engine.EngineBenchmark;
import dev.quorate.loadtest.engine.EngineBenchmark.EngineSettings;
import dev.quorate.storage.Compression;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench engine}: compares the store of a node with RocksDB, on the same data.
 *
 * <p>Exit status: 0 if everything was measured; 1 if an engine failed or gave a wrong answer; 2 if
 * the arguments are invalid.
 */
@CommandLine.Command(
        name = "engine",
        description = "Compares the storage engine with RocksDB on this machine.")
final class EngineBench implements Callable<Integer> {

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @Option(names = "--quick", description = "Shorter and less precise: takes two minutes.")
    private boolean quick;

    @Option(
            names = "--compression",
            paramLabel = "none|lz4",
            description = "Compression of data blocks. Default: none.")
    private Compression compression = Compression.NONE;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Parent of the temporary data folder. Default: .quorate.")
    private @Nullable Path directory;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Measures only figures whose name contains a match.")
    private Pattern only = Pattern.compile("");

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Number of keys. Default: ${DEFAULT-VALUE}.")
    private int keys = 1_000_000;

    EngineBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> complaint = violation("--keys", keys, 100, 100_000_000);
        if (complaint.isPresent()) {
            err.println(complaint.get());
            return 2;
        }
        try (ScratchFolder scratch = ScratchFolder.in(home, directory, "bench-")) {
            EngineSettings settings = EngineSettings.standard(quick, keys, only, compression);
            String table = new EngineBenchmark(scratch.path(), settings, err::println).compare();
            out.printf(
                    "%d processors, Java %s, data on %s.%n%n",
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    Files.getFileStore(scratch.path()).type());
            out.print(table);
            return 0;
        } catch (CommandException e) {
            err.println("No figures: " + e.getMessage());
            return 1;
        }
    }
}
