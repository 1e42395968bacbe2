package dev.quorate.testkit.simulation;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Promise;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What clients do.
 *
 * @param clients the number of clients
 * @param keys the number of keys that they share: few, for contention
 * @param specs the quorums, equally likely
 * @param getPercent the percentage of GETs
 * @param deletePercent the percentage of DELETEs
 * @param rangePercent the percentage of reads of the range of all keys; the rest are PUTs
 * @param mostThinkNanos the longest pause between an answer and the next request
 * @param sizes the lengths of values, which begin with their names
 * @param expiringPercent the percentage of values with a time to live, which ends long after the
 *     simulation
 * @param linearizable whether each key is to be an atomic register
 * @param conditionalPercent the percentage of writes with a condition; only with registers
 */
record Workload(
        int clients,
        int keys,
        List<QuorumSpec> specs,
        int getPercent,
        int deletePercent,
        int rangePercent,
        long mostThinkNanos,
        ValueSizes sizes,
        int expiringPercent,
        boolean linearizable,
        int conditionalPercent) {

    /** The workloads that a seed may draw. */
    enum Kind {
        /** Anything. */
        ANY,
        /** Reads and writes of majorities. */
        MAJORITIES,
        /** As {@link #MAJORITIES}, a third of them DELETEs. */
        DELETES,
        /** Each key an atomic register. */
        REGISTERS,
        /** As {@link #REGISTERS}, with conditional writes among others. */
        CONDITIONS,
        /** As {@link #CONDITIONS}, each key with several {@code ack} and {@code from}. */
        MIXED_CONDITIONS
    }

    private static final List<Integer> EXPIRING_PERCENTS = List.of(0, 10, 50);

    /**
     * Longer than any simulation, and shorter than the skew of a wrong clock. A quorum refuses a
     * node with such a clock, so that no read loses a value.
     */
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);

    private static final String KEY = "key";
    private static final char END_OF_NAME = '|';

    /** One drawn from the seed. */
    static Workload random(SplittableRandom random, int nodes, Kind kind) {
        Workload any = any(random, nodes);
        QuorumSpec majority = QuorumSpec.majority(Math.min(3, nodes));
        return switch (kind) {
            case ANY -> random.nextInt(4) > 0 ? any : random(random, nodes, Kind.MIXED_CONDITIONS);
            case MAJORITIES -> any.ofMajorities(majority, any.deletePercent, false);
            case DELETES -> any.ofMajorities(majority, 33, false);
            case REGISTERS -> any.ofMajorities(majority, any.deletePercent, true);
            case CONDITIONS ->
                    any.ofMajorities(majority, any.deletePercent, true)
                            .conditional(List.of(majority), random.nextInt(20, 100));
            case MIXED_CONDITIONS ->
                    any.ofMajorities(majority, any.deletePercent, true)
                            .conditional(mixed(majority, nodes), random.nextInt(20, 100));
        };
    }

    private Workload ofMajorities(QuorumSpec majority, int percent, boolean registers) {
        return new Workload(
                clients,
                keys,
                List.of(majority),
                Math.min(getPercent, 100 - 2 * percent),
                percent,
                0,
                mostThinkNanos,
                sizes,
                expiringPercent,
                registers,
                0);
    }

    /** At majorities of the first one, two, three and all owners of a key. */
    private static List<QuorumSpec> mixed(QuorumSpec majority, int nodes) {
        return List.of(
                majority,
                majority,
                new QuorumSpec(majority.from(), majority.from()),
                QuorumSpec.majority(1),
                QuorumSpec.majority(2),
                QuorumSpec.majority(nodes));
    }

    private Workload conditional(List<QuorumSpec> quorums, int percent) {
        return new Workload(
                clients,
                Math.min(keys, 3),
                quorums,
                Math.min(getPercent, 40),
                deletePercent,
                rangePercent,
                mostThinkNanos,
                sizes,
                expiringPercent,
                linearizable,
                percent);
    }

    private static Workload any(SplittableRandom random, int nodes) {
        int from = Math.min(3, nodes);
        QuorumSpec majority = new QuorumSpec(from / 2 + 1, from);
        List<QuorumSpec> specs =
                random.nextInt(3) > 0
                        ? List.of(majority)
                        : List.of(
                                majority,
                                majority,
                                new QuorumSpec(1, from),
                                new QuorumSpec(from, from),
                                new QuorumSpec(1, 1));
        boolean linearizable = random.nextInt(3) == 0;
        return new Workload(
                2 + random.nextInt(6),
                1 + random.nextInt(8),
                linearizable ? List.of(majority) : specs,
                20 + random.nextInt(60),
                random.nextInt(20),
                linearizable || random.nextInt(3) > 0 ? 0 : 3,
                1_000_000L << random.nextInt(6),
                ValueSizes.random(random),
                EXPIRING_PERCENTS.get(random.nextInt(EXPIRING_PERCENTS.size())),
                linearizable,
                0);
    }

    /**
     * The promise that its history is checked against. A range read does not write its values back
     * to a majority; neither does a read of a value that was written with a smaller {@code from},
     * of which there are no more copies. Of conditional writes more is checked than that.
     */
    Promise promise() {
        boolean sameFrom = specs.stream().mapToInt(QuorumSpec::from).distinct().count() == 1;
        if (linearizable && sameFrom) {
            return Promise.LINEARIZABLE;
        }
        return sameFrom && rangePercent == 0 ? Promise.MONOTONIC : Promise.QUORUM;
    }

    /** Whether each acknowledged write is on two replicas at least, and each read asks those. */
    boolean outlivesADisk() {
        return specs.stream().allMatch(spec -> spec.isMajority() && spec.ack() > 1);
    }

    /** The name of a key. Ranges rely on their order: there are fewer than ten. */
    static String key(int number) {
        return KEY + number;
    }

    /** After all keys. */
    static byte[] endOfKeys() {
        return (KEY + (char) ('9' + 1)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The value of a name, which begins with it. */
    byte[] value(String name) {
        String start = name + END_OF_NAME;
        int padding = Math.max(0, sizes.of(name) - start.length());
        return (start + "x".repeat(padding)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The time to live of the value of a name; null for none. */
    @Nullable Duration timeToLive(String name) {
        boolean expires = Math.floorMod(name.hashCode(), 100) < expiringPercent;
        return expires && outlivesADisk() ? TIME_TO_LIVE : null;
    }

    /** The name of a value; a different name for a damaged one. */
    String name(byte[] value) {
        String text = new String(value, StandardCharsets.US_ASCII);
        int end = text.indexOf(END_OF_NAME);
        String name = end < 0 ? text : text.substring(0, end);
        return Arrays.equals(value, value(name)) ? name : name + " damaged";
    }
}
