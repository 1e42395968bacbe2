package dev.quorate.loadtest;

import static dev.quorate.harness.OptionRange.violation;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.loadtest.engine.Conditions;
import dev.quorate.loadtest.engine.EngineBenchmark;
import dev.quorate.loadtest.engine.EngineKind;
import dev.quorate.loadtest.engine.EngineReport;
import dev.quorate.loadtest.engine.EngineSettings;
import dev.quorate.loadtest.engine.ValueShape;
import dev.quorate.storage.Compression;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code ./quorate bench engine}: one node's store against RocksDB, on the same data.
 *
 * <p>Exit status: 0 if everything was measured; 1 if an engine failed or gave a single wrong
 * answer; 2 if the arguments make no sense.
 */
@CommandLine.Command(
        name = "engine",
        description = "Measures the storage engine, and RocksDB beside it, on this machine.")
final class EngineBench implements Callable<Integer> {

    private static final int REFUSED = 1;
    private static final int CANNOT_BEGIN = 2;
    private static final int FEWEST_KEYS = 100;
    private static final int MAX_KEYS = 100_000_000;
    private static final int MAX_CACHE_MEBIBYTES = 1 << 16;
    private static final int LARGE_SHARE = 10;
    private static final int STEADY_MILLIS = 60_000;
    private static final int QUICK_MILLIS = 6_000;

    private final Path home;
    private final PrintStream out;
    private final PrintStream err;

    @SuppressWarnings("UnusedVariable") // read by picocli only
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Prints this.")
    private boolean help;

    @Option(
            names = "--quick",
            description = "Shorter runs and fewer keys: less certain, and over in two minutes.")
    private boolean quick;

    @Option(
            names = "--large",
            description =
                    "Instead: ten times the keys in a heap of 128 MiB, without RocksDB: loads,"
                            + " opens, reads every key back.")
    private boolean large;

    @Option(
            names = "--overwrite",
            description =
                    "Instead: overwrites the keys, without RocksDB, at 70 %% of the highest rate"
                            + " that is found; tells how long puts take, and what it costs.")
    private boolean overwrite;

    @Option(
            names = "--values",
            paramLabel = "random|text",
            description =
                    "What values are: random bytes, or cut from JSON records, which can be"
                            + " compressed. The default is random.")
    private ValueShape values = ValueShape.RANDOM;

    @Option(
            names = "--compression",
            paramLabel = "none|lz4",
            description = "How data blocks are stored. The default is none.")
    private Compression compression = Compression.NONE;

    @Option(
            names = "--beside",
            paramLabel = "rocksdb|uncompressed",
            description =
                    "What ours is compared to: RocksDB with the same compression, or itself with"
                            + " none. The default is rocksdb.")
    private EngineKind beside = EngineKind.ROCKSDB;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the figures there too, an object for each.")
    private @Nullable Path json;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "Where the engines may keep their data, which is deleted at the end. The"
                            + " default is a new folder in .quorate.")
    private @Nullable Path directory;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Measures only what has a name in which this is found.")
    private String only = "";

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Keys that are loaded. The default is ${DEFAULT-VALUE}.")
    private int keys = 1_000_000;

    @Option(
            names = "--rocksdb-cache-mib",
            paramLabel = "N",
            description = "RocksDB's block cache. The default is ${DEFAULT-VALUE}.")
    private int rocksCacheMebibytes = 64;

    EngineBench(Path home, PrintStream out, PrintStream err) {
        this.home = home;
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> complaint = firstComplaint();
        if (complaint.isPresent()) {
            err.println("quorate bench: " + complaint.get());
            return CANNOT_BEGIN;
        }
        if (json != null) {
            // No figures of an earlier run are to be taken for those of one that failed.
            Files.deleteIfExists(json);
        }
        try (ScratchFolder scratch = ScratchFolder.in(home, directory, "bench-")) {
            EngineReport report = measure(scratch.path());
            out.println(circumstances(scratch.path()));
            out.println();
            out.print(report.table());
            if (json != null) {
                Files.writeString(json, report.json(), UTF_8);
            }
            return 0;
        } catch (EngineBenchmark.FailedException e) {
            err.println("quorate bench: no figures: " + e.getMessage());
            return REFUSED;
        }
    }

    private EngineReport measure(Path scratch) throws IOException, EngineBenchmark.FailedException {
        Conditions conditions = new Conditions(values, compression, rocksCacheMebibytes);
        EngineSettings settings =
                EngineSettings.standard(quick, keys, Pattern.compile(only), beside, conditions);
        EngineBenchmark benchmark = new EngineBenchmark(scratch, settings, err::println);
        if (large) {
            return benchmark.large(keys * LARGE_SHARE);
        }
        return overwrite
                ? benchmark.overwrite(keys, quick ? QUICK_MILLIS : STEADY_MILLIS)
                : benchmark.compare();
    }

    private Optional<String> firstComplaint() {
        if (large && overwrite) {
            return Optional.of("--large and --overwrite are two things.");
        }
        if (beside == EngineKind.QUORATE) {
            return Optional.of("--beside must be rocksdb or uncompressed.");
        }
        try {
            Pattern.compile(only);
        } catch (PatternSyntaxException e) {
            return Optional.of("--only is no regular expression: " + e.getDescription() + ".");
        }
        return violation("--keys", keys, FEWEST_KEYS, MAX_KEYS)
                .or(
                        () ->
                                violation(
                                        "--rocksdb-cache-mib",
                                        rocksCacheMebibytes,
                                        1,
                                        MAX_CACHE_MEBIBYTES));
    }

    private String circumstances(Path scratch) throws IOException {
        return "%d processors, Java %s, data on %s."
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version(),
                        Files.getFileStore(scratch).type());
    }
}
