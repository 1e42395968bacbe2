package dev.quorate.loadtest.late;

import dev.quorate.loadtest.bench.StandardPlan;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Loads at a fixed rate whose late requests are looked at.
 *
 * @param cases those of one cluster follow each other
 * @param rate requests a second
 * @param limit above which a request is late
 */
public record LatePlan(
        List<Case> cases,
        Load.Clients clients,
        int rate,
        int keys,
        int valueBytes,
        Pace pace,
        Duration limit) {

    /** Of each value that is loaded beside a case. */
    static final int LOADED_VALUE_BYTES = 16_384;

    private static final int BYTES_PER_MIB = 1 << 20;

    /** Of a cluster, with its keys. */
    private static final int START_SECONDS = 15;

    /** While which what was loaded last is flushed and merged. */
    static final int AFTER_LOADING_SECONDS = 5;

    public LatePlan {
        cases = List.copyOf(cases);
    }

    /**
     * How long.
     *
     * @param warmUpSeconds of each case, as fast as it is answered
     * @param seconds that count
     */
    public record Pace(int warmUpSeconds, int seconds) {}

    /**
     * One load.
     *
     * @param name of the cluster, and what is asked of it
     * @param nodes of its cluster
     */
    public record Case(
            String name, int nodes, Operation operation, String replicas, Loading loading) {}

    /**
     * What is put beside a case, of other keys.
     *
     * @param mebibytes 0 for nothing
     * @param mebibytesPerSecond as which it is sent, if the nodes take it
     */
    public record Loading(int mebibytes, int mebibytesPerSecond) {

        /** Of nothing. */
        public static final Loading NONE = new Loading(0, 1);

        boolean isNone() {
            return mebibytes == 0;
        }

        int keys() {
            return mebibytes * (BYTES_PER_MIB / LOADED_VALUE_BYTES);
        }

        int keysPerSecond() {
            return mebibytesPerSecond * (BYTES_PER_MIB / LOADED_VALUE_BYTES);
        }

        int seconds() {
            return Math.ceilDiv(mebibytes, mebibytesPerSecond);
        }
    }

    /**
     * All cases of clusters.
     *
     * @param loading beside the last case of clusters of three nodes and more
     */
    public static List<Case> cases(List<Integer> clusters, int rate, Loading loading) {
        List<Case> cases = new ArrayList<>();
        for (int nodes : clusters.stream().distinct().toList()) {
            String quorum = nodes == 1 ? "1/1" : nodes == 2 ? "2/2" : "2/3";
            cases.add(of(nodes, Operation.STATIC, "1/1", rate, Loading.NONE));
            cases.add(of(nodes, Operation.GET, quorum, rate, Loading.NONE));
            cases.add(of(nodes, Operation.PUT, quorum, rate, Loading.NONE));
            if (nodes > 1) {
                cases.add(of(nodes, Operation.PUT, "1/1", rate, Loading.NONE));
            }
            if (nodes > 2) {
                cases.add(of(nodes, Operation.MIXED, quorum, rate, loading));
            }
        }
        return cases;
    }

    private static Case of(
            int nodes, Operation operation, String replicas, int rate, Loading loading) {
        String name =
                StandardPlan.clusterName(nodes)
                        + ", "
                        + StandardPlan.label(operation)
                        + (nodes == 1 || operation == Operation.STATIC ? "" : " " + replicas)
                        + String.format(Locale.ROOT, ", %,d/s", rate)
                        + (loading.isNone()
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", while %,d MiB are loaded",
                                        loading.mebibytes()));
        return new Case(name, nodes, operation, replicas, loading);
    }

    /** The same with the cases that are wanted. */
    public LatePlan only(Predicate<Case> wanted) {
        return new LatePlan(
                cases.stream().filter(wanted).toList(),
                clients,
                rate,
                keys,
                valueBytes,
                pace,
                limit);
    }

    /** For how long a case counts. */
    int seconds(Case each) {
        return each.loading().isNone()
                ? pace.seconds()
                : Math.max(pace.seconds(), each.loading().seconds() + AFTER_LOADING_SECONDS);
    }

    /** How long it takes where every cluster starts and is filled without delay. */
    public Duration expected() {
        long seconds = cases.stream().map(Case::nodes).distinct().count() * START_SECONDS;
        for (Case each : cases) {
            seconds += pace.warmUpSeconds() + seconds(each);
        }
        return Duration.ofSeconds(seconds);
    }
}
