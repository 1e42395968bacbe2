package dev.quorate.testkit.simulation;

import dev.quorate.router.message.Digest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.history.Promise;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the clients of a simulation.
 *
 * @param keys the number of keys that clients share: few, for contention, or many that are seldom
 *     written, whose values move only when members change
 * @param specs the quorums, equally likely
 * @param rangePercent the percentage of reads of all keys as a range; the rest are PUTs
 * @param mostThinkNanos the longest pause between an answer and the next request
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

    enum Kind {
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

    private static final int MANY_KEYS = 20;
    private static final String KEY = "key";
    private static final char END_OF_NAME = '|';

    static Workload random(SplittableRandom random, int nodes, Kind kind) {
        QuorumSpec majority = QuorumSpec.majority(Math.min(3, nodes)).asDefault();
        boolean hasMajorities = random.nextInt(3) > 0;
        boolean linearizable = random.nextInt(3) == 0;
        int clients = 2 + random.nextInt(6);
        int keys = 1 + random.nextInt(8);
        int gets = 20 + random.nextInt(60);
        int deletes = random.nextInt(20);
        int ranges = linearizable || random.nextInt(3) > 0 ? 0 : 3;
        long mostThinkNanos = 1_000_000L << random.nextInt(6);
        ValueSizes sizes = ValueSizes.random(random);
        int expiring = EXPIRING_PERCENTS.get(random.nextInt(EXPIRING_PERCENTS.size()));
        int conditional = 0;
        if (kind == Kind.ANY) {
            if (random.nextInt(4) == 0) {
                return random(random, nodes, Kind.MIXED_CONDITIONS);
            }
            if (random.nextInt(3) == 0) { // what is written once is read after changes of members
                keys = MANY_KEYS + random.nextInt(60);
                hasMajorities = true;
                deletes = random.nextInt(3);
                gets = 86 + random.nextInt(8);
            }
        } else {
            hasMajorities = true;
            linearizable = kind != Kind.MAJORITIES && kind != Kind.DELETES;
            deletes = kind == Kind.DELETES ? 33 : deletes;
            gets = Math.min(gets, 100 - 2 * deletes);
            ranges = 0;
        }
        if (kind == Kind.CONDITIONS || kind == Kind.MIXED_CONDITIONS) {
            keys = Math.min(keys, 3);
            gets = Math.min(gets, 40);
            conditional = random.nextInt(20, 100);
        }
        List<QuorumSpec> specs =
                kind == Kind.MIXED_CONDITIONS
                        ? mixed(majority, nodes)
                        : linearizable || hasMajorities ? List.of(majority) : any(majority);
        return new Workload(
                clients,
                keys,
                specs,
                gets,
                deletes,
                ranges,
                mostThinkNanos,
                sizes,
                expiring,
                linearizable,
                conditional);
    }

    /** Majorities of the first one, two, three and all owners of a key, and all of three. */
    private static List<QuorumSpec> mixed(QuorumSpec majority, int nodes) {
        return List.of(
                majority,
                majority,
                new QuorumSpec(majority.from(), majority.from()),
                QuorumSpec.majority(1),
                QuorumSpec.majority(2),
                QuorumSpec.majority(nodes));
    }

    private static List<QuorumSpec> any(QuorumSpec majority) {
        int from = majority.from();
        return List.of(
                majority,
                majority,
                new QuorumSpec(1, from, true),
                new QuorumSpec(from, from, true),
                new QuorumSpec(1, 1));
    }

    /**
     * The promise that the history is checked against. A range read does not write its values back
     * to a majority, nor does a read of a value that was written with a smaller {@code from}.
     * Conditional writes are checked further.
     */
    Promise promise() {
        if (linearizable && hasOneFrom()) {
            return Promise.LINEARIZABLE;
        }
        return hasOneFrom() && rangePercent == 0 ? Promise.MONOTONIC : Promise.QUORUM;
    }

    /** Whether all operations on a key have the same number of owners. */
    boolean hasOneFrom() {
        return specs.stream().mapToInt(QuorumSpec::from).distinct().count() == 1;
    }

    /** Whether each write is on at least two replicas, and each read asks one of them. */
    boolean outlivesADisk() {
        return specs.stream().allMatch(spec -> spec.isMajority() && spec.ack() > 1);
    }

    boolean hasManyKeys() {
        return keys >= MANY_KEYS;
    }

    /** The name of a key. */
    static String key(int number) {
        return KEY + number;
    }

    List<String> allKeys() {
        return IntStream.range(0, keys).mapToObj(Workload::key).toList();
    }

    /** A key after all keys of the workload. */
    static byte[] endOfKeys() {
        return (KEY + (char) ('9' + 1)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The value with a name, which it begins with. */
    byte[] value(String name) {
        String start = name + END_OF_NAME;
        int padding = Math.max(0, sizes.of(name) - start.length());
        return (start + "x".repeat(padding)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The time to live of the value with a name; null for none. */
    @Nullable Duration timeToLive(String name) {
        boolean expires = Math.floorMod(name.hashCode(), 100) < expiringPercent;
        return expires ? longTimeToLive() : null;
    }

    /** A time to live that no value loses; null if a value with one may be lost. */
    @Nullable Duration longTimeToLive() {
        return outlivesADisk() ? TIME_TO_LIVE : null;
    }

    /** Whether some reads change the expiry: with another {@code from}, they may undo a write. */
    boolean renews() {
        return conditionalPercent > 0 && hasOneFrom();
    }

    /** The name of a value; a different name for a damaged one. */
    String name(byte[] value) {
        String text = new String(value, StandardCharsets.US_ASCII);
        int end = text.indexOf(END_OF_NAME);
        String name = end < 0 ? text : text.substring(0, end);
        return Arrays.equals(value, value(name)) ? name : name + " damaged";
    }

    /**
     * The lengths of the values of one simulation. Values longer than {@link
     * Digest#SHORT_VALUE_BYTES} are read by digests, and the longest use the bulk lane.
     *
     * @param seed makes the lengths differ between simulations
     * @param largePercent the percentage of values of about that length or longer
     * @param mostBytes the limit of a length, exclusive
     */
    record ValueSizes(long seed, int largePercent, int mostBytes) {

        private static final int MAX_SMALL_BYTES = 200;
        private static final int MAX_USUAL_BYTES = 2_500;

        /** None, nearly all, or a mixture in which long values replace short ones. */
        private static final List<Integer> LARGE_PERCENTS = List.of(0, 5, 25, 60, 95);

        /** Requests of more than 64 KiB, and answers of more than 96, take the bulk lane. */
        private static final List<Integer> MAX_BYTES =
                List.of(MAX_USUAL_BYTES, MAX_USUAL_BYTES, 12_000, 150_000);

        static ValueSizes random(SplittableRandom random) {
            return new ValueSizes(
                    random.nextLong(),
                    LARGE_PERCENTS.get(random.nextInt(LARGE_PERCENTS.size())),
                    MAX_BYTES.get(random.nextInt(MAX_BYTES.size())));
        }

        /** The length of a value in bytes, a function of its name. */
        int of(String name) {
            SplittableRandom own = new SplittableRandom(seed ^ name.hashCode());
            if (own.nextInt(100) >= largePercent) {
                return own.nextInt(MAX_SMALL_BYTES);
            }
            return switch (own.nextInt(10)) {
                case 0, 1, 2 -> Digest.SHORT_VALUE_BYTES - 1 + own.nextInt(3);
                case 3 -> own.nextInt(Digest.SHORT_VALUE_BYTES, mostBytes);
                default -> own.nextInt(Digest.SHORT_VALUE_BYTES, MAX_USUAL_BYTES);
            };
        }
    }
}
