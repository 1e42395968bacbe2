package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.testkit.check.CheckWorkload.ClientRequest;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.Operation;
import dev.quorate.testkit.history.Seed;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of three processes gets five members, then four, then three, while clients use those
 * that serve. The new members are added in one change or in two, by an operator or by themselves;
 * then any two members are removed, one after the other. A random node is killed during each
 * change, and started again at once. {@link LoadedProcesses} judges the operations.
 *
 * <p>Far from kills, too, operations may be refused or undecided while nodes start and join (two
 * new owners of a key may not vote yet), and at a node when it leaves; and retries of conditional
 * writes may be undecided during a change (decision 0052, "Counting").
 *
 * <p>{@code -Dquorate.seed} repeats the requests, the changes, and the choice and delays of kills,
 * though not their exact times. The data and logs of nodes are kept if the test fails.
 */
final class ChangesUnderLoadIT {

    private static final int FOUNDERS = 3;
    private static final int ADDED = 2;

    /** Five processes on two processors must have time left for contended writes. */
    private static final int RATE = 150;

    /** Keys that are written once, so that only changes of members bring them to new owners. */
    private static final int COLD_KEYS = 200;

    /** Milliseconds before and after a request for a change, and after its end. */
    private static final int AROUND = 60;

    /** Milliseconds in which keys move. */
    private static final int MEANWHILE = 1_500;

    /** More than the request timeout of nodes. */
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);

    private static final Duration AGAIN = Duration.ofMillis(100);
    private static final String LEAVES = "\"part\":\"leaves\"";
    private static final String CLEAN = "\"clean\":true";
    private static final double NANOS_PER_MILLI = 1e6;

    /** A time in which operations may get some answers far from kills, too. */
    private record Allowance(Predicate<Answer> answers, long began, long ended) {

        boolean allows(Operation operation) {
            return answers.test(operation.answer())
                    && operation.ended().nanos() >= began
                    && operation.began().nanos() <= ended;
        }
    }

    /**
     * A change of members.
     *
     * @param members the nodes to ask
     * @param left the nodes that serve afterwards
     * @param body the request; empty if the node that joins sends it
     * @param isMade whether a list of members shows the change
     */
    private record Change(
            String what,
            List<NodeProcess> members,
            List<NodeProcess> left,
            String body,
            Predicate<String> isMade) {}

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final SplittableRandom random =
            new SplittableRandom(Seed.random("ChangesUnderLoadIT").nextLong());
    private final List<NodeProcess> newNodes = new ArrayList<>();
    private final List<Allowance> allowances = new ArrayList<>();
    private LoadedProcesses<NodeProcess> cluster;
    private int epoch = 1;

    @BeforeEach
    void start() throws Exception {
        cluster = new LoadedProcesses<>(folder, "changes-", RATE, random);
        int port = ProcessCluster.freePorts(FOUNDERS + ADDED);
        List<NodeProcess> founders = new ArrayList<>();
        for (int i = 0; i < FOUNDERS + ADDED; i++) {
            (i < FOUNDERS ? founders : newNodes)
                    .add(new NodeProcess(folder, "n" + (i + 1), port + i));
        }
        cluster.found(founders);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
        for (NodeProcess each : newNodes) {
            each.close();
        }
    }

    @Test
    void operationsFailOnlyNearKillsWhileMembersChange() throws Exception {
        cluster.startTraffic(urls());
        List<String> coldKeys =
                IntStream.range(0, COLD_KEYS).mapToObj(i -> "changes-cold-" + i).toList();
        cluster.send(
                coldKeys.stream()
                        .map(
                                key ->
                                        new ClientRequest(
                                                key,
                                                new Action.Put(key, HistoryCondition.NONE),
                                                cluster.workload().majority())));
        if (random.nextBoolean()) {
            add(newNodes, false);
        } else {
            for (NodeProcess joiner : newNodes) {
                add(List.of(joiner), random.nextBoolean());
            }
        }
        for (int i = 0; i < ADDED; i++) {
            remove(cluster.anyNode());
        }
        String what = "%d epochs with 3, 5, 4 and 3 members".formatted(epoch);
        cluster.judge(
                coldKeys, what, each -> allowances.stream().anyMatch(some -> some.allows(each)));
        for (NodeProcess each : cluster.nodes) {
            LoadedProcesses.assertRuns(each);
            LoadedProcesses.awaitUntil(() -> isSettled(page(each)));
        }
    }

    /** Whether a list shows the last epoch, with the members that are left, which are clean. */
    private boolean isSettled(String page) {
        return isOver(page)
                && page.split(CLEAN, -1).length == cluster.nodes.size() + 1
                && cluster.nodes.stream().allMatch(each -> hasMember(page, each));
    }

    private Stream<URI> urls() {
        return cluster.nodes.stream().map(NodeProcess::url);
    }

    /**
     * Adds nodes in one change.
     *
     * @param bySelf whether the node asks for that, and not an operator
     */
    private void add(List<NodeProcess> joiners, boolean bySelf) throws Exception {
        List<NodeProcess> members = List.copyOf(cluster.nodes);
        for (NodeProcess joiner : joiners) {
            List<String> urls = new ArrayList<>(urls().map(URI::toString).toList());
            Collections.shuffle(urls, new Random(random.nextLong()));
            Stream<NodeProcess> all = Stream.concat(members.stream(), Stream.of(joiner));
            joiner.writeOptions(
                    bySelf
                            ? "join=%s\naddress=%s".formatted(String.join(",", urls), joiner.url())
                            : LoadedProcesses.topology(all));
        }
        long began = cluster.traffic().nanos();
        for (NodeProcess joiner : joiners) {
            cluster.start(joiner);
        }
        for (NodeProcess joiner : joiners) {
            LoadedProcesses.awaitUntil(() -> !page(joiner).isEmpty());
        }
        Future<?> enrolled =
                cluster.operators.submit(
                        () -> {
                            LoadedProcesses.awaitUntil(
                                    () -> joiners.stream().allMatch(cluster::isReady));
                            cluster.traffic().use(urls().toList());
                            // Two new owners of a key may not vote yet; and processes that start
                            // take the time of contended writes.
                            allow(ChangesUnderLoadIT::isNoQuorum, began);
                        });
        String added =
                joiners.stream()
                        .map(
                                each ->
                                        "{\"name\":\"%s\",\"url\":\"%s\"}"
                                                .formatted(each.name(), each.url()))
                        .collect(Collectors.joining(",", "{\"add\":[", "]}"));
        make(
                new Change(
                        joiners + (bySelf ? " joins by itself" : " is added"),
                        members,
                        List.copyOf(cluster.nodes),
                        bySelf ? "" : added,
                        page -> joiners.stream().allMatch(each -> hasMember(page, each))));
        enrolled.get();
    }

    private void remove(NodeProcess leaver) throws Exception {
        List<NodeProcess> members = List.copyOf(cluster.nodes);
        long began = cluster.traffic().nanos();
        Future<Long> gone =
                cluster.operators.submit(
                        () -> {
                            LoadedProcesses.awaitUntil(() -> isRemoved(leaver));
                            return cluster.traffic().nanos();
                        });
        long over =
                make(
                        new Change(
                                leaver + " leaves",
                                members,
                                members.stream().filter(each -> !each.equals(leaver)).toList(),
                                "{\"remove\":[\"%s\"]}".formatted(leaver.name()),
                                page -> !hasMember(page, leaver) || page.contains(LEAVES)));
        cluster.nodes.remove(leaver);
        allow(new Answer.Refused("503, removed")::equals, began);
        // Sent before it left. Others may have learnt that much later, after a kill.
        allow(ChangesUnderLoadIT::isNoQuorum, Math.min(over, gone.get()) - TIMEOUT.toNanos());
        assertThat(isRemoved(leaver)).isTrue();
        LoadedProcesses.assertRuns(leaver);
        assertThat(leaver.stop()).as(leaver.logTail()).isZero();
    }

    private static boolean isNoQuorum(Answer answer) {
        return answer.equals(new Answer.Indeterminate("504"))
                || answer.equals(new Answer.Refused("503"));
    }

    /** The outcome of a retry that no count decides in a joint epoch (decision 0052). */
    private static boolean isUndecided(Answer answer) {
        return answer instanceof Answer.Indeterminate(String why)
                && why.endsWith("attempts, the last: " + new Answer.Indeterminate("504"));
    }

    private void allow(Predicate<Answer> answers, long began) {
        allowances.add(new Allowance(answers, began, cluster.traffic().nanos()));
    }

    /** Makes a change, kills nodes meanwhile, and returns when it was over. */
    private long make(Change change) throws Exception {
        epoch += 2;
        boolean twice = random.nextInt(3) == 0;
        boolean atTheEnd = random.nextInt(3) == 0;
        int millis =
                atTheEnd
                        ? random.nextInt(AROUND)
                        : random.nextBoolean()
                                ? random.nextInt(-AROUND, AROUND)
                                : random.nextInt(MEANWHILE);
        SplittableRandom choices = random.split();
        long asked = cluster.traffic().nanos();
        Future<Long> made =
                cluster.operators.schedule(
                        () -> ask(change, choices), Math.max(0, -millis), TimeUnit.MILLISECONDS);
        if (atTheEnd) {
            LoadedProcesses.awaitUntil(() -> isEnding(page(cluster.anyNode())));
        }
        Kill last =
                kill(
                        "%s, %d ms after %s"
                                .formatted(
                                        change.what, millis, atTheEnd ? "its end" : "its request"),
                        Math.max(0, millis));
        if (twice && !isOver(page(cluster.anyNode()))) {
            last = kill(change.what + ", later", 0);
        }
        long answered = made.get();
        for (NodeProcess each : cluster.nodes) {
            LoadedProcesses.awaitUntil(() -> isOver(page(each)) || isRemoved(each));
        }
        long over = cluster.traffic().nanos();
        cluster.traffic().use(change.left.stream().map(NodeProcess::url).toList());
        allow(ChangesUnderLoadIT::isUndecided, asked);
        allow(new Answer.Refused("503")::equals, asked); // contended, and keys move
        cluster.awaitEnd(last);
        System.out.printf(
                Locale.ROOT,
                "%10.3f ms: %s, made by %.0f ms later, over by %.0f ms later%n",
                asked / NANOS_PER_MILLI,
                change.what,
                (answered - asked) / NANOS_PER_MILLI,
                (over - asked) / NANOS_PER_MILLI);
        return over;
    }

    /** Asks until the cluster has begun the change, and returns the time of the answer. */
    private long ask(Change change, SplittableRandom choices) {
        if (!change.body.isEmpty()) {
            await().atMost(LoadedProcesses.LIMIT)
                    .pollInterval(AGAIN)
                    .until(
                            () -> {
                                int node = choices.nextInt(change.members.size());
                                return cluster.change(
                                        change.members.get(node), change.body, change.isMade);
                            });
        }
        return cluster.traffic().nanos();
    }

    /** Kills any node, starts it again, and returns when it is up. */
    private Kill kill(String when, int millis) throws Exception {
        NodeProcess victim = cluster.anyNode();
        long killed =
                cluster.operators
                        .schedule(() -> cluster.killAndStart(victim), millis, TimeUnit.MILLISECONDS)
                        .get();
        LoadedProcesses.awaitUntil(
                () -> {
                    LoadedProcesses.assertRuns(victim);
                    return cluster.isReady(victim) || isRemoved(victim);
                });
        return cluster.note(victim + " while " + when, killed);
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

    private static boolean hasMember(String page, NodeProcess node) {
        return page.contains("\"name\":\"" + node.name() + "\"");
    }

    private boolean isOver(String page) {
        return page.contains("\"epoch\":" + epoch + ",\"members\"");
    }

    /** Whether a member has shown that it has the keys that it gains. */
    private boolean isEnding(String page) {
        return isOver(page) || page.contains("\"proved\":true");
    }

    private boolean isRemoved(NodeProcess node) {
        try {
            HttpResponse<String> answer = cluster.page(node, "/v0/entity?id=any&replicas=2/3");
            return answer.statusCode() == 503 && answer.body().contains("was removed");
        } catch (IOException e) {
            return false;
        }
    }
}
