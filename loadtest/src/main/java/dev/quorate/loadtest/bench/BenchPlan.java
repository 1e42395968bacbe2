package dev.quorate.loadtest.bench;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.wrk.Wrk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What is measured, in order.
 *
 * @param clusters one after the other
 * @param pace how long and how often
 * @param keys how many keys are there before anything is measured, unless their values were larger
 *     than {@link #MAX_DATA_BYTES} together
 */
public record BenchPlan(List<ClusterPlan> clusters, Pace pace, int keys) {

    /** Enough that the nodes have compiled what they run: after 5 seconds they still get faster. */
    public static final Pace THOROUGH = new Pace(10, 6, 3, 3);

    /** Less certain; the plan without variations is over in three minutes. */
    public static final Pace QUICK = new Pace(2, 2, 3, 0);

    /** So that what is measured is not how fast a disk is read. */
    public static final long MAX_DATA_BYTES = 128L * 1024 * 1024;

    /** Of a cluster, and to stop it and delete what it had. */
    private static final int START_SECONDS = 5;

    /** To put all keys and read them back, where that succeeds soon. */
    private static final int FILL_SECONDS = 6;

    /** Of the load generator beside its run time, and of a check of the values. */
    private static final long OVERHEAD_MILLIS = 250;

    public BenchPlan {
        clusters = List.copyOf(clusters);
    }

    /**
     * How long and how often each case is run.
     *
     * @param warmUpSeconds before it counts
     * @param runSeconds each time that counts
     * @param runs how many times; the median is what is reported
     * @param besideSeconds for which the static answer is measured before each of them, so that the
     *     two have the same minute of the machine; 0 if it is measured only once, before all
     */
    public record Pace(int warmUpSeconds, int runSeconds, int runs, int besideSeconds) {

        /** Of the static answer, beside each run of this case. */
        int secondsBeside(BenchCase each) {
            return each.isStatic() || each.rate() != Rate.HIGHEST ? 0 : besideSeconds;
        }
    }

    /**
     * A cluster of its own, and what is measured through its first node.
     *
     * @param name how many nodes, in words
     * @param cases a case comes after the static answer that it is compared to, and after the one
     *     of whose rate it takes half
     */
    public record ClusterPlan(String name, int nodes, List<BenchCase> cases) {

        public ClusterPlan {
            cases = List.copyOf(cases);
            for (int i = 0; i < cases.size(); i++) {
                BenchCase each = cases.get(i);
                List<BenchCase> before = cases.subList(0, i + 1);
                require(each, before.stream().anyMatch(other -> other.isReferenceOf(each)));
                require(
                        each,
                        each.rate() != Rate.HALF
                                || before.stream().anyMatch(other -> other.isHighestOf(each)));
            }
        }

        private static void require(BenchCase each, boolean holds) {
            if (!holds) {
                throw new IllegalArgumentException(
                        each.name() + " comes before what it depends on");
            }
        }

        /** The static answer that a case is compared to. */
        BenchCase referenceOf(BenchCase each) {
            return cases.stream()
                    .filter(other -> other.isReferenceOf(each))
                    .findFirst()
                    .orElseThrow();
        }

        /** The case, at the highest rate. */
        BenchCase highestOf(BenchCase each) {
            return cases.stream()
                    .filter(other -> other.isHighestOf(each))
                    .findFirst()
                    .orElseThrow();
        }

        /** The cases that are wanted, and those without which they mean nothing. */
        private ClusterPlan only(Predicate<BenchCase> wanted) {
            Set<BenchCase> kept = new HashSet<>();
            for (BenchCase each : cases.reversed()) {
                if (kept.contains(each) || wanted.test(each)) {
                    kept.add(each);
                    kept.add(referenceOf(each));
                    if (each.rate() == Rate.HALF) {
                        kept.add(highestOf(each));
                    }
                }
            }
            return new ClusterPlan(name, nodes, cases.stream().filter(kept::contains).toList());
        }

        private Duration expected(Pace pace) {
            Duration expected = Duration.ofSeconds(START_SECONDS);
            Set<Integer> filled = new HashSet<>();
            for (BenchCase each : cases) {
                if (each.needsKeys() && filled.add(each.valueBytes())) {
                    expected = expected.plusSeconds(FILL_SECONDS);
                }
                if (each.operation() == Load.Operation.DELETE) {
                    filled.remove(each.valueBytes());
                }
                int run =
                        Wrk.totalSeconds(
                                pace.runSeconds(),
                                Load.Clients.of(each.connections()),
                                each.rate() != Rate.HIGHEST);
                int beside = pace.secondsBeside(each);
                int loads = 1 + pace.runs() * (beside > 0 ? 2 : 1);
                expected =
                        expected.plusSeconds(
                                        pace.warmUpSeconds() + (long) pace.runs() * (run + beside))
                                .plusMillis(loads * OVERHEAD_MILLIS);
            }
            return expected;
        }
    }

    /** The same with the cases that are wanted, and those without which they mean nothing. */
    public BenchPlan only(Predicate<BenchCase> wanted) {
        List<ClusterPlan> chosen = new ArrayList<>();
        for (ClusterPlan cluster : clusters) {
            ClusterPlan less = cluster.only(wanted);
            if (!less.cases().isEmpty()) {
                chosen.add(less);
            }
        }
        return new BenchPlan(chosen, pace, keys);
    }

    /** All cases of all clusters. */
    public List<BenchCase> cases() {
        return clusters.stream().flatMap(cluster -> cluster.cases().stream()).toList();
    }

    /** How long it takes where every cluster starts and is filled without delay. */
    public Duration expected() {
        return clusters.stream()
                .map(cluster -> cluster.expected(pace))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** How many keys have values of that size. */
    int keys(int valueBytes) {
        return (int) Math.min(keys, MAX_DATA_BYTES / Math.max(1, valueBytes));
    }
}
