package dev.quorate.loadtest.pressure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A case of too much load.
 *
 * @param keys that are there
 * @param requests what is sent
 */
public record PressurePlan(int keys, int valueBytes, Supplier<ByteBuffer> requests) {

    /** The names of all cases. */
    public static final List<String> CASES =
            List.of(
                    "overload-get",
                    "overload-put",
                    "overload-mix",
                    "overload-large",
                    "slow",
                    "ranges");

    private static final String QUORUM = "2/3";
    private static final int KEYS = 100_000;
    private static final int VALUE_BYTES = 100;
    private static final int LARGE_KEYS = 2_000;
    private static final int LARGE_BYTES = 64 << 10;
    private static final int FEW = 32;
    private static final int MANY = 256;
    private static final long SEED = 20_261_121;

    /** Until the nodes' compilers are done. */
    private static final Duration WARM_UP = Duration.ofSeconds(30);

    private static final Duration FILL_LIMIT = Duration.ofMinutes(5);

    /** The plan of a case of that name. */
    public static PressurePlan of(String name) {
        Supplier<ByteBuffer> gets = Requests.gets(QUORUM, KEYS, SEED);
        Supplier<ByteBuffer> puts = Requests.puts(QUORUM, KEYS, VALUE_BYTES, SEED + 1);
        return switch (name) {
            case "overload-get" -> new PressurePlan(KEYS, VALUE_BYTES, gets);
            case "overload-put" -> new PressurePlan(KEYS, VALUE_BYTES, puts);
            case "overload-mix" ->
                    new PressurePlan(KEYS, VALUE_BYTES, Requests.byTurns(gets, puts));
            case "overload-large" ->
                    new PressurePlan(
                            LARGE_KEYS,
                            LARGE_BYTES,
                            Requests.puts(QUORUM, LARGE_KEYS, LARGE_BYTES, SEED + 2));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /**
     * Puts all keys.
     *
     * @throws IOException if they are not all there then
     */
    public void fill(OpenLoop load) throws IOException {
        Filling.fill(load, keys, valueBytes, SEED, FILL_LIMIT);
    }

    /** How much is sent. */
    public Overload.Plan overload(int connections, int seconds, List<Double> multiples) {
        int peakConnections = valueBytes > VALUE_BYTES ? FEW : MANY;
        return new Overload.Plan(
                peakConnections, connections, WARM_UP, Duration.ofSeconds(seconds), multiples);
    }
}
