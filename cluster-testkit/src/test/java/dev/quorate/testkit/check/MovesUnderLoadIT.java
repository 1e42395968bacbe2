package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.Checker;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.HistoryVerdict;
import dev.quorate.testkit.history.JepsenExport;
import dev.quorate.testkit.history.Operation;
import dev.quorate.testkit.history.Promise;
import dev.quorate.testkit.history.Recorder;
import dev.quorate.testkit.history.Seed;
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
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each member of a cluster of three processes moves to another address, while clients use all
 * addresses. A random node is killed while the cluster agrees on the new address, and started again
 * with the options that it had; then the member is killed, and started at its new address.
 *
 * <p>The history must be linearizable. Operations may fail from a kill until two seconds after the
 * killed node is ready: how long a process takes to start, and to answer in time, depends on what
 * else the machine does, and until then some retries of conditional writes stay undecided
 * (docs/proofs/conditional-writes.md, "The lead"). A request to an address at which no node listens
 * is not an operation.
 *
 * <p>{@code -Dquorate.seed} repeats the requests, and the choice and delays of kills, though not
 * their exact times. {@code -Dquorate.history=FILE} writes the history in Jepsen's format. The data
 * and logs of nodes are kept if the test fails.
 */
final class MovesUnderLoadIT {

    private static final int CLIENTS = 16;
    private static final int RATE = 300;
    private static final int KEYS_PER_WINDOW = 3;
    private static final long WINDOW_MILLIS = 10_000;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    /** Operations of processes that have just started, which may fail. */
    private static final int FIRST_OPERATIONS = 500;

    /** Operations without a fault, before the first kill and after the time of each. */
    private static final int QUIET_OPERATIONS = 200;

    private static final Duration FAILING = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * A kill of a node that was started again.
     *
     * @param nanos the time on the clock of the history
     * @param ready when {@code /readyz} returned 200 again
     */
    private record Kill(String what, long nanos, long ready) {

        /** A process that has just started on a busy machine may answer late at first. */
        long end() {
            return Math.max(nanos, ready) + FAILING.toNanos();
        }

        boolean mayFail(Operation operation) {
            return operation.ended().nanos() >= nanos && operation.began().nanos() <= end();
        }

        /** The time from this kill to the beginning of an operation that ended later. */
        long distance(Operation operation) {
            return operation.ended().nanos() < nanos
                    ? Long.MAX_VALUE
                    : Math.max(0, operation.began().nanos() - nanos);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%10.3f ms: %s, ready %.0f ms later",
                    nanos / NANOS_PER_MILLI,
                    what,
                    (ready - nanos) / NANOS_PER_MILLI);
        }
    }

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final SplittableRandom random =
            new SplittableRandom(Seed.random("MovesUnderLoadIT").nextLong());
    private final ScheduledExecutorService timer =
            new ScheduledThreadPoolExecutor(
                    1,
                    Thread.ofPlatform().name("timer").daemon().factory(),
                    new ThreadPoolExecutor.DiscardPolicy());
    private final ScheduledExecutorService operators = Executors.newScheduledThreadPool(2);
    private final HistoryClient requests = new HistoryClient(REQUEST_TIMEOUT, true, timer);
    private final NodeClient pages = new NodeClient();
    private final List<MovableNode> nodes = new ArrayList<>();
    private final List<Kill> kills = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private final CheckWorkload workload =
            new CheckWorkload(
                    "moves-",
                    random.nextLong(),
                    KEYS_PER_WINDOW,
                    WINDOW_MILLIS,
                    3,
                    Promise.LINEARIZABLE);
    private Traffic traffic;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("secret"), "the secret of these members\n");
        Files.setPosixFilePermissions(
                folder.resolve("secret"), PosixFilePermissions.fromString("rw-------"));
        int port = ProcessCluster.freePorts(6);
        for (int i = 0; i < 3; i++) {
            nodes.add(new MovableNode(folder, "n" + (i + 1), port + i, port + 3 + i));
        }
        String topology =
                nodes.stream()
                        .map(node -> node.name() + "=" + node.url())
                        .collect(Collectors.joining(","));
        for (MovableNode node : nodes) {
            node.writeOptions(topology);
            node.start();
        }
        nodes.forEach(this::awaitReady);
    }

    @AfterEach
    void stop() throws Exception {
        operators.shutdownNow();
        for (MovableNode node : nodes) {
            node.close();
        }
        pages.close();
        requests.close();
        timer.shutdownNow();
    }

    private void awaitReady(MovableNode node) {
        awaitUntil(
                () -> {
                    assertThat(node.isRunning())
                            .as("%s ended: %s", node.name(), node.logTail())
                            .isTrue();
                    return requests.isReady(node.url()).join();
                });
    }

    private static void awaitUntil(Callable<Boolean> condition) {
        await().atMost(LIMIT).pollInterval(POLL).until(condition);
    }

    private Traffic traffic(Stream<URI> urls) {
        return new Traffic(
                requests, urls.toList(), recorder, workload, RATE, SystemTicker.INSTANCE, timer);
    }

    private MovableNode anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    @Test
    void operationsFailOnlyNearKillsWhileMembersMove() throws Exception {
        traffic = traffic(nodes.stream().flatMap(node -> Stream.of(node.url(), node.later())));
        Traffic finalReads = traffic(nodes.stream().map(MovableNode::later));
        traffic.start(CLIENTS, random.split());
        awaitOperations(FIRST_OPERATIONS);
        long judged = traffic.nanos();
        awaitOperations(QUIET_OPERATIONS);
        for (MovableNode moved : nodes) {
            move(moved);
        }
        traffic.stop();
        List<String> unread =
                finalReads.readAll(
                        workload.keys(TimeUnit.NANOSECONDS.toMillis(traffic.nanos())),
                        CLIENTS,
                        CLIENTS,
                        LIMIT.toMillis(),
                        random.nextLong());
        History history = recorder.history();
        String file = System.getProperty("quorate.history", "");
        if (!file.isEmpty()) {
            try (Writer writer = Files.newBufferedWriter(Path.of(file))) {
                JepsenExport.write(history, writer);
            }
        }
        HistoryVerdict verdict = Checker.check(history, Promise.LINEARIZABLE);
        List<Operation> failed =
                history.operations().stream()
                        .filter(operation -> operation.began().nanos() >= judged)
                        .filter(MovesUnderLoadIT::isFailure)
                        .toList();
        print(verdict, failed);
        assertThat(verdict.isKept()).as(verdict.toString()).isTrue();
        assertThat(unread).isEmpty();
        assertThat(failed)
                .as("operations that failed, of kills %s", kills)
                .allMatch(operation -> kills.stream().anyMatch(kill -> kill.mayFail(operation)));
        assertAllUseTheSameTopology();
    }

    /** A kill of any node while the address is changed, then the move. */
    private void move(MovableNode moved) throws Exception {
        MovableNode asked = anyNode();
        MovableNode victim = anyNode();
        // The agreement takes a few ms; its news and the new connections take longer.
        int millis = random.nextBoolean() ? random.nextInt(-20, 40) : random.nextInt(400);
        Future<Long> changed =
                operators.schedule(
                        () -> change(asked, moved) ? traffic.nanos() : Long.MAX_VALUE,
                        Math.max(0, -millis),
                        TimeUnit.MILLISECONDS);
        long killed =
                operators
                        .schedule(
                                () -> killAndStart(victim),
                                Math.max(0, millis),
                                TimeUnit.MILLISECONDS)
                        .get();
        boolean isChanged = changed.get() != Long.MAX_VALUE;
        awaitUntil(() -> isChanged || change(anyNode(), moved));
        String when = changed.get() < killed ? "after" : "before";
        awaitEnd(
                "%s, %d ms after %s was asked to move %s, %s the answer"
                        .formatted(victim.name(), millis, asked.name(), moved.name(), when),
                victim,
                killed);
        moved.move();
        awaitEnd(moved.name() + ", which moves", moved, killAndStart(moved));
    }

    /** Asks a node for the change, and returns whether the cluster has made it. */
    private boolean change(MovableNode asked, MovableNode moved) {
        String page = asked.url() + "/admin/members";
        String body =
                "{\"set\":[{\"name\":\"%s\",\"url\":\"%s\"}]}"
                        .formatted(moved.name(), moved.later());
        try {
            HttpResponse<String> members =
                    pages.send(NodeClient.request(page).build(), BodyHandlers.ofString());
            if (members.statusCode() != 200 || members.body().contains(moved.later().toString())) {
                return members.statusCode() == 200;
            }
            String epoch = members.headers().firstValue("ETag").orElseThrow();
            HttpResponse<String> answer =
                    pages.send(
                            NodeClient.request(page)
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
    private long killAndStart(MovableNode node) throws IOException {
        assertThat(node.isRunning()).as("%s ended: %s", node.name(), node.logTail()).isTrue();
        long nanos = traffic.nanos();
        node.kill();
        node.start();
        return nanos;
    }

    /** Waits until operations may fail no more because of a kill, and for some of them. */
    private void awaitEnd(String what, MovableNode killed, long nanos) {
        awaitReady(killed);
        Kill kill = new Kill(what, nanos, traffic.nanos());
        kills.add(kill);
        nodes.forEach(this::awaitReady);
        awaitUntil(() -> traffic.nanos() > kill.end());
        awaitOperations(QUIET_OPERATIONS);
    }

    private void awaitOperations(int count) {
        long before = traffic.tally().all();
        awaitUntil(() -> traffic.tally().all() >= before + count);
    }

    private static boolean isFailure(Operation operation) {
        return switch (operation.answer()) {
            case Answer.Indeterminate(_) -> true;
            case Answer.Refused(String why) -> !why.equals("no connection") && !why.equals("412");
            case Answer.Stored(_),
                    Answer.Deleted(_),
                    Answer.Value(_, _),
                    Answer.Absent(),
                    Answer.Unmet(_) ->
                    false;
        };
    }

    private void print(HistoryVerdict verdict, List<Operation> failed) {
        Map<String, Integer> reasons = new TreeMap<>();
        long farthest = 0;
        for (Operation operation : failed) {
            reasons.merge(
                    operation.answer().toString().replaceAll("\\d+ attempts", "attempts"),
                    1,
                    Integer::sum);
            long distance =
                    kills.stream().mapToLong(kill -> kill.distance(operation)).min().orElseThrow();
            farthest = Math.max(farthest, distance);
        }
        kills.forEach(System.out::println);
        System.out.printf(
                Locale.ROOT,
                "moved %d members in %.1f s, %d kills: %d failures %s, the farthest began %.0f ms"
                        + " after its kill; requests: %s%n%s%n",
                nodes.size(),
                traffic.nanos() / NANOS_PER_MILLI / 1_000,
                kills.size(),
                failed.size(),
                reasons,
                farthest / NANOS_PER_MILLI,
                traffic.tally(),
                verdict);
    }

    private void assertAllUseTheSameTopology() throws IOException {
        List<String> expected =
                Stream.concat(
                                Stream.of("\"epoch\":4,"),
                                nodes.stream().map(node -> "\"" + node.url() + "\""))
                        .toList();
        for (MovableNode node : nodes) {
            String ring = node.url() + "/v0/ring";
            await().atMost(LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    pages.send(
                                                                    NodeClient.request(ring)
                                                                            .build(),
                                                                    BodyHandlers.ofString())
                                                            .body())
                                            .contains(expected));
            assertThat(node.isRunning()).as("%s ended: %s", node.name(), node.logTail()).isTrue();
        }
    }
}
