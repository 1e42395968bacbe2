package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.JepsenExport;
import dev.quorate.testkit.history.Operation;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Recorder;
import dev.quorate.testkit.live.NodeClient;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Nodes in processes of their own that clients use while operators change their topology and some
 * are killed.
 *
 * <p>The history must be linearizable. Operations may fail near kills ({@link Kill}). A request to
 * an address at which no node listens is not an operation.
 *
 * <p>{@code -Dquorate.history=FILE} writes the history in Jepsen's format.
 *
 * @param <N> the nodes
 */
final class LoadedProcesses<N extends NodeProcess> implements AutoCloseable {

    static final int CLIENTS = 16;
    static final Duration LIMIT = Duration.ofSeconds(90);

    private static final int KEYS_PER_WINDOW = 3;
    private static final long WINDOW_MILLIS = 10_000;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    /** Operations of processes that have just started, which may fail. */
    private static final int FIRST_OPERATIONS = 500;

    /** Operations without a fault, before the first kill and after the time of each. */
    private static final int QUIET_OPERATIONS = 200;

    /** The default of {@code request-timeout}. */
    private static final long OPERATION_NANOS = 1_000_000_000;

    private static final Duration POLL = Duration.ofMillis(20);
    private static final double NANOS_PER_MILLI = 1e6;

    private final SplittableRandom random;
    private final int rate;
    private final HistoryClient requests = new HistoryClient(REQUEST_TIMEOUT, true);
    private final NodeClient pages = new NodeClient();
    private final Recorder recorder = new Recorder();
    private final CheckWorkload workload;
    private final List<Kill> kills = new ArrayList<>();
    private Traffic traffic;
    private long judged;

    /** The nodes that have been started. */
    final List<N> nodes = new ArrayList<>();

    final ScheduledExecutorService operators = Executors.newScheduledThreadPool(3);

    /**
     * @param folder an empty one, for the nodes
     * @param prefix the prefix of all keys
     * @param rate the most operations in a second
     */
    LoadedProcesses(Path folder, String prefix, int rate, SplittableRandom random)
            throws IOException {
        this.rate = rate;
        this.random = random;
        this.workload =
                new CheckWorkload(
                        prefix,
                        random.nextLong(),
                        KEYS_PER_WINDOW,
                        WINDOW_MILLIS,
                        QuorumSpec.majority(3),
                        Promise.LINEARIZABLE);
        Files.writeString(folder.resolve("secret"), "the secret of these members\n");
        Files.setPosixFilePermissions(
                folder.resolve("secret"), PosixFilePermissions.fromString("rw-------"));
    }

    /** Starts the first nodes of a cluster. */
    void found(List<N> founders) throws IOException {
        String topology = topology(founders.stream());
        for (N node : founders) {
            node.writeOptions(topology);
            start(node);
        }
        nodes.forEach(this::awaitReady);
    }

    /** The line of options with some members. */
    static String topology(Stream<? extends NodeProcess> members) {
        return members.map(node -> node.name() + "=" + node.url())
                .collect(Collectors.joining(",", "topology=", ""));
    }

    void start(N node) throws IOException {
        nodes.add(node);
        node.start();
    }

    @Override
    public void close() throws IOException {
        operators.shutdownNow();
        for (N node : nodes) {
            node.close();
        }
        pages.close();
        requests.close();
    }

    N anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    Traffic traffic() {
        return traffic;
    }

    boolean isReady(N node) {
        return requests.isReady(node.url()).join();
    }

    void awaitReady(N node) {
        awaitUntil(
                () -> {
                    assertRuns(node);
                    return isReady(node);
                });
    }

    static void assertRuns(NodeProcess node) throws IOException {
        assertThat(node.isRunning()).as("%s ended: %s", node.name(), node.logTail()).isTrue();
    }

    static void awaitUntil(Callable<Boolean> condition) {
        await().atMost(LIMIT).pollInterval(POLL).until(condition);
    }

    void awaitOperations(int count) {
        long before = traffic.tally().all();
        awaitUntil(() -> traffic.tally().all() >= before + count);
    }

    private Traffic traffic(Stream<URI> urls) {
        return new Traffic(
                requests, urls.toList(), recorder, workload, rate, SystemTicker.INSTANCE);
    }

    /** Starts clients, and waits for their first operations. */
    void startTraffic(Stream<URI> urls) {
        traffic = traffic(urls);
        traffic.start(CLIENTS, random.split());
        awaitOperations(FIRST_OPERATIONS);
        judged = traffic.nanos();
        awaitOperations(QUIET_OPERATIONS);
    }

    /** Sends one request after the other, for the same history. */
    void send(Stream<CheckWorkload.ClientRequest> additional) {
        additional.forEach(
                request -> {
                    Recorder.Call call =
                            recorder.begin(
                                    2 * CLIENTS,
                                    request.key(),
                                    request.action(),
                                    request.spec().ack(),
                                    request.spec().from(),
                                    traffic.nanos());
                    RequestOutcome outcome = requests.send(anyNode().url(), request).join();
                    call.end(outcome.answer(), traffic.nanos());
                });
    }

    CheckWorkload workload() {
        return workload;
    }

    HttpResponse<String> page(NodeProcess node, String path) throws IOException {
        return pages.send(NodeClient.request(node.url() + path).build(), BodyHandlers.ofString());
    }

    /**
     * Asks a node for a change as an operator does, who reads the list of members first.
     *
     * @param isDone whether a list of members shows that the cluster has made the change
     * @return whether it has
     */
    boolean change(NodeProcess asked, String body, Predicate<String> isDone) {
        try {
            HttpResponse<String> members = page(asked, "/admin/members");
            if (members.statusCode() != 200 || isDone.test(members.body())) {
                return members.statusCode() == 200;
            }
            String epoch = members.headers().firstValue("ETag").orElseThrow();
            HttpResponse<String> answer =
                    pages.send(
                            NodeClient.request(asked.url() + "/admin/members")
                                    .header("If-Match", epoch)
                                    .POST(BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isIn(200, 409, 412, 503);
            return answer.statusCode() == 200;
        } catch (IOException e) {
            return false; // The node is down.
        }
    }

    /** Returns the time of the kill on the clock of the history. */
    long killAndStart(N node) throws IOException {
        assertRuns(node);
        long nanos = traffic.nanos();
        node.kill();
        node.start();
        return nanos;
    }

    /** Notes that a node that was killed is up again. */
    Kill note(String what, long nanos) {
        Kill kill = new Kill(what, nanos, traffic.nanos());
        kills.add(kill);
        return kill;
    }

    /** Waits until operations may fail no more because of a kill, and for some of them. */
    void awaitEnd(Kill kill) {
        awaitUntil(() -> traffic.nanos() > kill.end());
        awaitOperations(QUIET_OPERATIONS);
    }

    /**
     * Stops clients, reads all keys by all nodes, and judges the history.
     *
     * @param keys further keys to read
     * @param what the changes, for the summary
     * @param mayFail which operations may also fail far from kills
     */
    void judge(List<String> keys, String what, Predicate<Operation> mayFail) throws Exception {
        traffic.stop();
        List<String> all = new ArrayList<>(keys);
        all.addAll(workload.keys(TimeUnit.NANOSECONDS.toMillis(traffic.nanos())));
        List<String> unread =
                traffic(nodes.stream().map(NodeProcess::url))
                        .readAll(all, CLIENTS, CLIENTS, LIMIT.toMillis(), random.nextLong());
        History history = recorder.history();
        String file = System.getProperty("quorate.history", "");
        if (!file.isEmpty()) {
            try (Writer writer = Files.newBufferedWriter(Path.of(file))) {
                JepsenExport.write(history, writer);
            }
        }
        HistoryVerdict verdict = Checker.check(history, Promise.LINEARIZABLE);
        Map<Boolean, List<Operation>> byKill =
                history.operations().stream()
                        .filter(operation -> operation.began().nanos() >= judged)
                        .filter(LoadedProcesses::isFailure)
                        .collect(Collectors.partitioningBy(this::isByKill));
        print(what, verdict, byKill);
        assertThat(verdict.isKept()).as(verdict.toString()).isTrue();
        assertThat(unread).isEmpty();
        assertThat(byKill.get(false))
                .as("operations that failed, but not because of kills %s", kills)
                .allMatch(mayFail);
    }

    private boolean isByKill(Operation operation) {
        return kills.stream().anyMatch(kill -> kill.mayFail(operation));
    }

    private static boolean isFailure(Operation operation) {
        return switch (operation.answer()) {
            case Answer.Indeterminate(_) -> true;
            case Answer.Refused(String why) ->
                    !why.equals("no connection") && !why.equals("412") && !isCrowdedOut(operation);
            case Answer.Stored(_),
                    Answer.Deleted(_),
                    Answer.Value(_, _),
                    Answer.Absent(),
                    Answer.Unmet(_) ->
                    false;
        };
    }

    /**
     * Whether a conditional write of a contended key had no turn within the time of a request, and
     * changed nothing: on a machine that other programs keep busy.
     */
    private static boolean isCrowdedOut(Operation operation) {
        return operation.answer().equals(new Answer.Refused("503"))
                && !operation.action().condition().equals(HistoryCondition.NONE)
                && operation.ended().nanos() - operation.began().nanos() >= OPERATION_NANOS;
    }

    private void print(String what, HistoryVerdict verdict, Map<Boolean, List<Operation>> byKill) {
        long farthest = 0;
        for (Operation operation : byKill.get(true)) {
            long distance =
                    kills.stream().mapToLong(kill -> kill.distance(operation)).min().orElseThrow();
            farthest = Math.max(farthest, distance);
        }
        kills.forEach(System.out::println);
        System.out.printf(
                Locale.ROOT,
                "%s in %.1f s, %d kills: %s, the farthest began %.0f ms after its kill; others:"
                        + " %s; requests: %s%n%s%n",
                what,
                traffic.nanos() / NANOS_PER_MILLI / 1_000,
                kills.size(),
                reasons(byKill.get(true)),
                farthest / NANOS_PER_MILLI,
                reasons(byKill.get(false)),
                traffic.tally(),
                verdict);
    }

    private static String reasons(List<Operation> failed) {
        Map<String, Integer> reasons = new TreeMap<>();
        for (Operation operation : failed) {
            String reason = operation.answer().toString();
            reasons.merge(reason.replaceAll("\\d+ attempts", "attempts"), 1, Integer::sum);
        }
        return failed.size() + " failures " + reasons;
    }
}
