package dev.quorate.loadtest.bench;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.StoredValues;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The keys of one cluster: puts them before they are needed, and checks whether their values are
 * those that were put.
 */
public final class StoredKeys {

    /** Filling a cluster, or reading it back, is tried with that many seconds first … */
    private static final int FIRST_FILL_SECONDS = 2;

    /** … and with twice as many until it is enough, or more than this. */
    private static final int MAX_FILL_SECONDS = 256;

    /** So often may writes be refused while a cluster is filled. */
    private static final int MAX_OVERRUNS = 3;

    /** So many of all keys are looked at one by one. */
    private static final int SAMPLE = 100;

    /** Cases with more connections do not fill with more, and large values come by fewer. */
    private static final int MAX_CONNECTIONS = 64;

    private static final int MIN_CONNECTIONS = 4;
    private static final int BYTES_UNDER_WAY = 1 << 20;

    private final BenchPlan plan;
    private final String replicas;
    private final Load.Api api;
    private final String url;
    private final LoadGenerator generator;
    private final Probe probe;
    private final Consumer<String> progress;
    private final Set<Integer> filledSizes = new HashSet<>();
    private int overruns;

    /** Of a cluster of ours, on all of whose nodes every key is to be. */
    public StoredKeys(
            BenchPlan plan,
            int nodes,
            String url,
            LoadGenerator generator,
            Probe probe,
            Consumer<String> progress) {
        this(plan, nodes + "/" + nodes, Load.Api.REPLICAS, url, generator, probe, progress);
    }

    /**
     * For an empty cluster.
     *
     * @param replicas {@code ack/from} with which the keys are put and read back
     * @param url of the node that is asked
     */
    public StoredKeys(
            BenchPlan plan,
            String replicas,
            Load.Api api,
            String url,
            LoadGenerator generator,
            Probe probe,
            Consumer<String> progress) {
        this.plan = plan;
        this.replicas = replicas;
        this.api = api;
        this.url = url;
        this.generator = generator;
        this.probe = probe;
        this.progress = progress;
    }

    /**
     * Puts all keys with values of the case's size, unless they are there; after a case that
     * deletes, they are not.
     */
    void fillFor(BenchCase each) throws RefusedFigureException, CommandException {
        int bytes = each.valueBytes();
        if (each.needsKeys() && !filledSizes.contains(bytes)) {
            fill(bytes);
            filledSizes.add(bytes);
        }
        if (each.operation() == Operation.DELETE) {
            filledSizes.remove(bytes);
        }
    }

    /** Puts all keys with values of that size, and reads them back. */
    public void fill(int bytes) throws RefusedFigureException, CommandException {
        for (Operation operation : List.of(Operation.PUT, Operation.GET)) {
            int seconds = FIRST_FILL_SECONDS;
            while (!reachesEveryKey(operation, bytes, seconds)) {
                seconds *= 2;
                if (seconds > MAX_FILL_SECONDS) {
                    throw new RefusedFigureException(
                            "%s of all keys: not all of %d were answered within %d seconds."
                                    .formatted(operation, plan.keys(bytes), MAX_FILL_SECONDS));
                }
            }
        }
        if (api.isOurs()) {
            requireValues(replicas, bytes, false);
        }
        progress.accept(
                "%d keys with values of %d bytes put and read back"
                        .formatted(plan.keys(bytes), bytes));
    }

    private boolean reachesEveryKey(Operation operation, int bytes, int seconds)
            throws RefusedFigureException, CommandException {
        Load load =
                Load.unbounded(
                        url,
                        requests(operation, replicas, bytes),
                        Load.Clients.of(connections(bytes)),
                        Load.Manner.EVERY_KEY,
                        seconds);
        LoadResult result = generator.run(load);
        if (operation == Operation.PUT && isOverrun(result) && overruns < MAX_OVERRUNS) {
            overruns++;
            progress.accept(
                    "too busy to take all keys at once (%s); once more"
                            .formatted(RunCheck.describeCounts(result.answers())));
            return false;
        }
        try {
            RunCheck.requireRight(load, result);
        } catch (RefusedFigureException e) {
            throw new RefusedFigureException(operation + " of all keys: " + e.sentence());
        }
        return result.everyKey();
    }

    /**
     * Whether some writes were refused or not confirmed in time, and nothing worse: that can be
     * while nodes have just started, and the same values are put again, and read back.
     */
    private static boolean isOverrun(LoadResult result) {
        Set<Integer> statuses = result.answers().keySet();
        return result.socketErrors() == 0
                && statuses.stream().anyMatch(status -> status >= 503)
                && Set.of(201, 503, 504).containsAll(statuses);
    }

    /** Nothing is measured here: a cluster that has just started is not to be overrun. */
    private static int connections(int bytes) {
        return Math.clamp(BYTES_UNDER_WAY / Math.max(1, bytes), MIN_CONNECTIONS, MAX_CONNECTIONS);
    }

    private Load.Requests requests(Operation operation, String asked, int bytes) {
        return new Load.Requests(operation, asked, api, plan.keys(bytes), bytes, 0);
    }

    /** Checks some of the keys after a case has run. */
    void checkAfter(BenchCase each) throws RefusedFigureException, CommandException {
        if (each.needsKeys()) {
            boolean deleted = each.operation() == Operation.DELETE;
            requireValues(each.replicas(), each.valueBytes(), deleted);
        }
    }

    private void requireValues(String asked, int bytes, boolean deleted)
            throws RefusedFigureException, CommandException {
        String query = requests(Operation.GET, asked, bytes).query();
        int keys = plan.keys(bytes);
        int looked = Math.min(SAMPLE, keys);
        int absent = 0;
        for (int i = 0; i < looked; i++) {
            int number = (int) ((long) keys * i / looked);
            String key = StoredValues.key(number, bytes);
            Probe.Answer answer = probe.get(url + "/v0/entity?id=" + key + "&" + query);
            if (deleted && answer.status() == 404) {
                absent++;
            } else if (answer.status() != 200
                    || !Arrays.equals(answer.body(), StoredValues.value(number, bytes))) {
                throw new RefusedFigureException(
                        "a GET %s of %s was answered with status %d and %s."
                                .formatted(
                                        asked,
                                        key,
                                        answer.status(),
                                        answer.status() == 200
                                                ? "a value that was never put there"
                                                : "no value"));
            }
        }
        if (deleted && absent == 0) {
            throw new RefusedFigureException(
                    "all of %d keys that were looked at are still there.".formatted(looked));
        }
    }
}
