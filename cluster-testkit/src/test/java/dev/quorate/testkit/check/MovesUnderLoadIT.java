package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.ProcessCluster;
import dev.quorate.testkit.history.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each member of a cluster of three processes moves to another address, while clients use all
 * addresses. A random node is killed while the cluster agrees on the new address, and started again
 * with the options that it had; then the member is killed, and started at its new address. {@link
 * LoadedProcesses} judges the operations.
 *
 * <p>{@code -Dquorate.seed} repeats the requests, and the choice and delays of kills, though not
 * their exact times. The data and logs of nodes are kept if the test fails.
 */
final class MovesUnderLoadIT {

    private static final int RATE = 300;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final SplittableRandom random =
            new SplittableRandom(Seed.random("MovesUnderLoadIT").nextLong());
    private LoadedProcesses<MovableNode> cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new LoadedProcesses<>(folder, "moves-", RATE, random);
        int port = ProcessCluster.freePorts(6);
        List<MovableNode> founders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            founders.add(new MovableNode(folder, "n" + (i + 1), port + i, port + 3 + i));
        }
        cluster.found(founders);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    @Test
    void operationsFailOnlyNearKillsWhileMembersMove() throws Exception {
        cluster.startTraffic(
                cluster.nodes.stream().flatMap(node -> Stream.of(node.url(), node.later())));
        for (MovableNode moved : cluster.nodes) {
            move(moved);
        }
        cluster.judge(List.of(), "moved 3 members", operation -> false);
        assertAllUseTheSameTopology();
    }

    /** A kill of any node while the address is changed, then the move. */
    private void move(MovableNode moved) throws Exception {
        MovableNode asked = cluster.anyNode();
        MovableNode victim = cluster.anyNode();
        // The agreement takes a few ms; its news and the new connections take longer.
        int millis = random.nextBoolean() ? random.nextInt(-20, 40) : random.nextInt(400);
        Future<Long> changed =
                cluster.operators.schedule(
                        () -> change(asked, moved) ? cluster.traffic().nanos() : Long.MAX_VALUE,
                        Math.max(0, -millis),
                        TimeUnit.MILLISECONDS);
        long killed =
                cluster.operators
                        .schedule(
                                () -> cluster.killAndStart(victim),
                                Math.max(0, millis),
                                TimeUnit.MILLISECONDS)
                        .get();
        boolean isChanged = changed.get() != Long.MAX_VALUE;
        LoadedProcesses.awaitUntil(() -> isChanged || change(cluster.anyNode(), moved));
        String when = changed.get() < killed ? "after" : "before";
        awaitEnd(
                "%s, %d ms after %s was asked to move %s, %s the answer"
                        .formatted(victim.name(), millis, asked.name(), moved.name(), when),
                victim,
                killed);
        moved.move();
        awaitEnd(moved.name() + ", which moves", moved, cluster.killAndStart(moved));
    }

    /** Asks a node for the change, and returns whether the cluster has made it. */
    private boolean change(MovableNode asked, MovableNode moved) {
        return cluster.change(
                asked,
                "{\"set\":[{\"name\":\"%s\",\"url\":\"%s\"}]}"
                        .formatted(moved.name(), moved.later()),
                members -> members.contains(moved.later().toString()));
    }

    private void awaitEnd(String what, MovableNode killed, long nanos) {
        cluster.awaitReady(killed);
        Kill kill = cluster.note(what, nanos);
        cluster.nodes.forEach(cluster::awaitReady);
        cluster.awaitEnd(kill);
    }

    private void assertAllUseTheSameTopology() throws IOException {
        List<String> expected =
                Stream.concat(
                                Stream.of("\"epoch\":4,"),
                                cluster.nodes.stream().map(node -> "\"" + node.url() + "\""))
                        .toList();
        for (MovableNode node : cluster.nodes) {
            await().atMost(LoadedProcesses.LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(cluster.page(node, "/v0/ring").body())
                                            .contains(expected));
            LoadedProcesses.assertRuns(node);
        }
    }
}
