package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.testkit.check.SoakClients.Failure;
import dev.quorate.testkit.check.SoakSamples.Sample;
import dev.quorate.testkit.check.SoakSamples.Trend;
import dev.quorate.testkit.history.Seed;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three to five processes under moderate load for hours, a kill and a change of members every few
 * minutes. No acknowledged write is lost, operations fail only near kills and changes, and no
 * process grows.
 *
 * <p>n1 is neither killed nor removed, so that a leak has the whole time to show. {@code
 * -Dsoak.minutes} is the duration, and without it the test is skipped; {@code -Dsoak.every} the
 * minutes between changes (20), {@code -Dsoak.rate} the operations in a second (500), {@code
 * -Dsoak.sample} the seconds between samples (60), and {@code -Dsoak.tolerated} how many operations
 * in a million may fail far from kills and changes (0). The samples are in {@code target/soak.csv}.
 * The data and logs of nodes are kept if the test fails.
 */
@EnabledIfSystemProperty(named = "soak.minutes", matches = "[1-9][0-9]*")
final class SoakIT {

    private static final int FOUNDERS = 3;
    private static final long MINUTES = Long.getLong("soak.minutes", 0);
    private static final Duration EVERY = Duration.ofMinutes(Long.getLong("soak.every", 20));
    private static final int RATE = Integer.getInteger("soak.rate", 500);
    private static final long SAMPLE_SECONDS = Long.getLong("soak.sample", 60);
    private static final double TOLERATED = Integer.getInteger("soak.tolerated", 0);
    private static final int MILLION = 1_000_000;
    private static final int MEANWHILE_MILLIS = 1_500;
    private static final int FIRST_OPERATIONS = 2_000;
    private static final Duration AFTER = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration AGAIN = Duration.ofMillis(100);
    private static final double NANOS_PER_SECOND = 1e9;

    /** The changes, one after the other. They lead back to three members. */
    private enum Kind {
        ADD,
        WEIGHT,
        MORE_COPIES,
        REPLACE,
        USUAL_WEIGHT,
        FEWER_COPIES,
        REMOVE
    }

    /**
     * A time in which operations may fail.
     *
     * @param failures which failures
     */
    private record Allowance(String what, long began, long ended, Predicate<String> failures) {

        boolean allows(Failure failure) {
            return failures.test(failure.what())
                    && failure.ended() >= began
                    && failure.began() <= ended;
        }
    }

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final SplittableRandom random = new SplittableRandom(Seed.random("SoakIT").nextLong());
    private final Deque<NodeProcess> newNodes = new ArrayDeque<>();
    private final Queue<Allowance> allowances = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Throwable> samplerFailure = new AtomicReference<>();

    /** The nodes to sample: those that serve. */
    private volatile List<NodeProcess> serving = List.of();

    private LoadedProcesses<NodeProcess> cluster;
    private SoakSamples samples;
    private SoakClients clients;
    private long start;

    @BeforeEach
    void start() throws Exception {
        cluster = new LoadedProcesses<>(folder, "soak-", RATE, random);
        samples = new SoakSamples(Path.of("target", "soak.csv"));
        int changes = (int) (MINUTES / EVERY.toMinutes());
        int added = 2 * (changes / Kind.values().length + 1);
        int port = ProcessCluster.freePorts(FOUNDERS + added);
        List<NodeProcess> founders = new ArrayList<>();
        for (int i = 0; i < FOUNDERS + added; i++) {
            NodeProcess node = new NodeProcess(folder, "n" + (i + 1), port + i);
            if (i < FOUNDERS) {
                founders.add(node);
            } else {
                newNodes.add(node);
            }
        }
        cluster.found(founders);
        serve();
    }

    @AfterEach
    void stop() throws Exception {
        if (clients != null) {
            clients.close();
        }
        cluster.close();
        samples.close();
        for (NodeProcess each : newNodes) {
            each.close();
        }
    }

    @Test
    void nothingGrowsOrIsLost() throws Exception {
        start = System.nanoTime();
        long end = start + TimeUnit.MINUTES.toNanos(MINUTES);
        clients = new SoakClients(urls(), RATE, random.split());
        LoadedProcesses.awaitUntil(() -> clients.operations() >= FIRST_OPERATIONS);
        allow("processes that have just started", start, _ -> true);
        var sampling =
                cluster.operators.scheduleAtFixedRate(
                        this::sample, SAMPLE_SECONDS, SAMPLE_SECONDS, TimeUnit.SECONDS);
        int changes = 0;
        for (long next = start + EVERY.toNanos(); next < end; next += EVERY.toNanos()) {
            awaitTime(next);
            disturb(Kind.values()[changes % Kind.values().length]);
            changes++;
        }
        awaitTime(end);
        sampling.cancel(false);
        clients.stop();
        for (NodeProcess each : cluster.nodes) {
            LoadedProcesses.assertRuns(each);
            LoadedProcesses.awaitUntil(() -> clients.readAll(each.url()) == 0);
        }
        judge(changes);
    }

    /** Waits for a time, and ends early if something is wrong. */
    private void awaitTime(long nanos) {
        await().forever()
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> {
                            assertRight();
                            return System.nanoTime() >= nanos;
                        });
    }

    private void assertRight() throws IOException {
        assertThat(clients.violations()).isEmpty();
        assertThat(samplerFailure.get()).isNull();
        for (NodeProcess each : serving) {
            LoadedProcesses.assertRuns(each);
        }
    }

    private void judge(int changes) throws IOException {
        List<Failure> failures = clients.failures();
        List<Failure> unexplained =
                failures.stream()
                        .filter(each -> allowances.stream().noneMatch(some -> some.allows(each)))
                        .toList();
        List<Trend> trends = samples.trends("n1", (System.nanoTime() - start) / NANOS_PER_SECOND);
        allowances.forEach(
                each ->
                        print(
                                "%8.1f s to %8.1f s: %s, %s",
                                seconds(each.began),
                                seconds(each.ended),
                                each.what,
                                reasons(failures.stream().filter(each::allows).toList())));
        print(
                "%d changes in %.0f s, %,d operations, failures %s",
                changes, seconds(System.nanoTime()), clients.operations(), reasons(failures));
        unexplained.forEach(
                each ->
                        print(
                                "failed far from kills and changes: %s, %.3f s to %.3f s",
                                each.what(), seconds(each.began()), seconds(each.ended())));
        print("%-24s %9s %9s %9s", "median of the", "first", "middle", "last third");
        trends.forEach(System.out::println);
        assertRight();
        assertThat((double) MILLION * unexplained.size() / clients.operations())
                .as("operations in a million that failed far from kills and changes")
                .isLessThanOrEqualTo(TOLERATED);
        assertThat(trends).allMatch(Trend::isFlat);
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    private double seconds(long nanos) {
        return (nanos - start) / NANOS_PER_SECOND;
    }

    private static Map<String, Long> reasons(List<Failure> failures) {
        return failures.stream()
                .collect(Collectors.groupingBy(Failure::what, TreeMap::new, Collectors.counting()));
    }

    private List<URI> urls() {
        return cluster.nodes.stream().map(NodeProcess::url).toList();
    }

    /** From now on the nodes of the cluster are used and sampled. */
    private void serve() {
        serving = List.copyOf(cluster.nodes);
        if (clients != null) {
            clients.use(urls());
        }
    }

    private void allow(String what, long began, Predicate<String> failures) {
        allowances.add(new Allowance(what, began, System.nanoTime() + AFTER.toNanos(), failures));
    }

    private void sample() {
        try {
            long failures = clients.failures().size();
            for (NodeProcess each : serving) {
                long pid = each.pid();
                try {
                    samples.add(
                            new Sample(
                                    seconds(System.nanoTime()),
                                    each.name(),
                                    SoakSamples.figures(pid, each.data(), () -> metrics(each))),
                            pid,
                            clients.operations(),
                            failures);
                } catch (IOException e) {
                    // The node is down, or starts: the next sample has it again.
                    if (each.isRunning() && each.pid() == pid && cluster.isReady(each)) {
                        print("no sample of %s: %s", each, e);
                    }
                }
            }
        } catch (Throwable e) {
            samplerFailure.set(e);
        }
    }

    private String metrics(NodeProcess node) throws IOException {
        HttpResponse<String> answer = cluster.page(node, "/metrics");
        if (answer.statusCode() != 200) {
            throw new IOException("/metrics answers " + answer.statusCode());
        }
        return answer.body();
    }

    /** Kills a node and starts it again, and changes the members: together, or one by one. */
    private void disturb(Kind kind) throws Exception {
        NodeProcess first = cluster.nodes.getFirst();
        NodeProcess changed = any(List.of(first));
        boolean together = random.nextBoolean();
        NodeProcess victim = any(List.of(first, changed));
        if (!together) {
            kill(victim);
        }
        Future<?> change =
                cluster.operators.submit(
                        () -> {
                            change(kind, changed);
                            return null;
                        });
        if (together) {
            int millis = random.nextInt(MEANWHILE_MILLIS);
            cluster.operators
                    .schedule(
                            () -> {
                                kill(victim);
                                return null;
                            },
                            millis,
                            TimeUnit.MILLISECONDS)
                    .get();
        }
        change.get();
        print("%8.1f s: %s, %s is killed", seconds(System.nanoTime()), kind, victim);
    }

    private NodeProcess any(List<NodeProcess> except) {
        List<NodeProcess> others = new ArrayList<>(cluster.nodes);
        others.removeAll(except);
        return others.get(random.nextInt(others.size()));
    }

    private void kill(NodeProcess victim) throws IOException {
        long began = System.nanoTime();
        victim.kill();
        victim.start();
        cluster.awaitReady(victim);
        allow(victim + " is killed", began, _ -> true);
    }

    /** Changes the members, and returns when the change is complete on all of them. */
    private void change(Kind kind, NodeProcess changed) throws Exception {
        long began = System.nanoTime();
        switch (kind) {
            case ADD -> add(null);
            case REPLACE -> add(changed);
            case REMOVE ->
                    make(
                            "{\"remove\":[\"%s\"]}".formatted(changed.name()),
                            page -> !hasMember(page, changed),
                            changed);
            case WEIGHT, USUAL_WEIGHT -> {
                int weight = kind == Kind.WEIGHT ? 2 : 1;
                make(
                        "{\"set\":[{\"name\":\"n1\",\"weight\":%d}]}".formatted(weight),
                        page -> page.contains("weightPercent") == (weight > 1),
                        null);
            }
            case MORE_COPIES, FEWER_COPIES -> {
                int copies = kind == Kind.MORE_COPIES ? 4 : 3;
                make(
                        "{\"replication\":%d}".formatted(copies),
                        page -> page.contains("\"replication\":" + copies),
                        null);
            }
        }
        allow(kind.name(), began, what -> what.startsWith("50"));
    }

    /** Adds a node, in place of another one unless that is null. */
    private void add(@Nullable NodeProcess leaver) throws Exception {
        NodeProcess joiner = newNodes.pop();
        joiner.writeOptions(
                LoadedProcesses.topology(Stream.concat(serving.stream(), Stream.of(joiner))));
        cluster.start(joiner);
        awaitUntil(() -> !page(joiner).isEmpty());
        String removed = leaver == null ? "" : ",\"remove\":[\"%s\"]".formatted(leaver.name());
        make(
                "{\"add\":[{\"name\":\"%s\",\"url\":\"%s\"}]%s}"
                        .formatted(joiner.name(), joiner.url(), removed),
                page -> hasMember(page, joiner) && (leaver == null || !hasMember(page, leaver)),
                leaver);
    }

    /**
     * Makes a change, and stops the member that has left.
     *
     * @param isDone whether a list of members, without a change in progress, shows it
     */
    private void make(String body, Predicate<String> isDone, @Nullable NodeProcess leaver)
            throws Exception {
        List<NodeProcess> members = serving;
        AtomicInteger asked = new AtomicInteger();
        awaitUntil(
                () ->
                        cluster.change(
                                members.get(asked.getAndIncrement() % members.size()),
                                body,
                                page -> isJoint(page) || isDone.test(page)));
        for (NodeProcess each : List.copyOf(cluster.nodes)) {
            awaitUntil(() -> each.equals(leaver) ? isRemoved(each) : isOver(page(each), isDone));
        }
        cluster.nodes.remove(leaver);
        serve();
        if (leaver != null) {
            long sent = System.nanoTime() + AFTER.toNanos();
            awaitUntil(() -> System.nanoTime() > sent);
            LoadedProcesses.assertRuns(leaver);
            assertThat(leaver.stop()).as(leaver.logTail()).isZero();
        }
    }

    private static void awaitUntil(Callable<Boolean> condition) {
        await().atMost(LIMIT).pollInterval(AGAIN).until(condition);
    }

    /** The list of members of a node; empty if it is down. */
    private String page(NodeProcess node) {
        try {
            HttpResponse<String> answer = cluster.page(node, "/admin/members");
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isJoint(String page) {
        return page.contains("\"joint\":true");
    }

    private static boolean isOver(String page, Predicate<String> isDone) {
        return !page.isEmpty() && !isJoint(page) && isDone.test(page);
    }

    private static boolean hasMember(String page, NodeProcess node) {
        return page.contains("\"name\":\"" + node.name() + "\"");
    }

    private boolean isRemoved(NodeProcess node) {
        try {
            HttpResponse<String> answer = cluster.page(node, "/v0/entity?id=any");
            return answer.statusCode() == 503 && answer.body().contains("was removed");
        } catch (IOException e) {
            return false;
        }
    }
}
