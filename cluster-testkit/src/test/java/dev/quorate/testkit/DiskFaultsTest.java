package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.testkit.history.HistoryVerdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Disks that fail, fill up, forget and lie. */
class DiskFaultsTest {

    private static final String VALUE = "a value that is easily found. ".repeat(300);

    private static List<Path> tables(TestNode node) {
        return node.disk().files().stream()
                .filter(file -> file.toString().endsWith(".sst"))
                .toList();
    }

    /** Until the first of what is written lies in a table. */
    private static void writeATable(QuorateCluster cluster) throws Exception {
        int written = 0;
        while (NodeRequests.tablesOf(cluster.node(1)) == 0) {
            assertThat(cluster.put("key" + written, VALUE + written).status()).isEqualTo(201);
            written++;
        }
        assertThat(cluster.get("key0").text()).isEqualTo(VALUE + 0);
    }

    @Test
    @QuorateTest
    void aFailedFsyncEndsTheNodeAndTheOthersServe(QuorateCluster cluster) {
        TestNode node = cluster.node(1);
        cluster.put("key", "one", "3/3");
        node.disk().failForces();
        assertThat(cluster.node(2).put("key", "two", "2/3").status()).isEqualTo(201);
        Awaitility.await().until(() -> node.state() == TestNode.State.GAVE_UP);
        assertThat(node.reason()).contains("Input/output error");
        assertThat(cluster.node(3).get("key").text()).isEqualTo("two");
        assertThatThrownBy(node::start).hasMessageContaining("Input/output error");
        node.disk().heal();
        node.start();
        cluster.awaitReady();
        assertThat(node.get("key", "3/3").text()).isEqualTo("two");
    }

    @Test
    @QuorateTest(
            nodes = 1,
            settings = {"memtable-bytes=64KiB", "segment-bytes=128KiB"})
    void whatCannotBeReadIsNotCalledAbsent(QuorateCluster cluster) throws Exception {
        TestNode node = cluster.node(1);
        writeATable(cluster);
        node.disk().failReads();
        assertThat(node.get("key0").status()).isEqualTo(504);
        node.disk().heal();
        assertThat(node.get("key0").text()).isEqualTo(VALUE + 0);
        node.disk().failReads();
        node.kill();
        assertThatThrownBy(node::start).hasMessageContaining("Input/output error");
        node.disk().heal();
        node.start();
        assertThat(node.get("key0").text()).isEqualTo(VALUE + 0);
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    @Test
    @QuorateTest(nodes = 1)
    void aFullDiskRefusesWritesAndServesReads(QuorateCluster cluster) {
        cluster.put("key", "value");
        cluster.node(1).disk().fillUp();
        Awaitility.await()
                .until(() -> cluster.put("other", "" + System.nanoTime()).status() != 201);
        assertThat(cluster.put("other", "refused").status()).isEqualTo(503);
        assertThat(cluster.get("key").text()).isEqualTo("value");
        cluster.node(1).disk().free();
        Awaitility.await()
                .until(() -> cluster.put("other", "" + System.nanoTime()).status() == 201);
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    @Test
    @QuorateTest(
            nodes = 1,
            settings = {"memtable-bytes=64KiB", "segment-bytes=128KiB"})
    void aFlippedBitIsNeverServed(QuorateCluster cluster) throws Exception {
        TestNode node = cluster.node(1);
        writeATable(cluster);
        Path table = tables(node).getFirst();
        String bytes =
                Files.readString(
                        node.disk().directory().resolve(table), StandardCharsets.ISO_8859_1);
        int place = bytes.indexOf(VALUE.substring(0, 20));
        assertThat(place).isPositive();
        node.disk().flipBit(table, 8L * place);
        assertThat(node.get("key0").status()).isEqualTo(504);
        assertThatThrownBy(() -> node.disk().flipBit(table, 1L << 40)).hasMessageContaining("bit");
    }

    @Test
    @QuorateTest(settings = {"memtable-bytes=64KiB", "segment-bytes=128KiB"})
    void aFlippedBitIsHealedByTheOthers(QuorateCluster cluster) throws Exception {
        TestNode node = cluster.node(1);
        int written = 0;
        while (NodeRequests.tablesOf(node) == 0) {
            assertThat(cluster.put("key" + written, VALUE + written, "3/3").status())
                    .isEqualTo(201);
            written++;
        }
        Path table = tables(node).getFirst();
        String bytes =
                Files.readString(
                        node.disk().directory().resolve(table), StandardCharsets.ISO_8859_1);
        node.disk().flipBit(table, 8L * bytes.indexOf(VALUE.substring(0, 20)));
        for (int i = 0; i < written; i++) {
            assertThat(node.get("key" + i, "2/3").text()).isEqualTo(VALUE + i);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> NodeRequests.metricOf(node, "quorate_healed_ranges_total") > 0);
        assertThat(NodeRequests.metricOf(node, "quorate_damaged_ranges")).isZero();
        assertThat(tables(node)).doesNotContain(table);
        cluster.node(2).kill();
        cluster.node(3).kill();
        for (int i = 0; i < written; i++) {
            assertThat(node.get("key" + i, "1/3").text()).isEqualTo(VALUE + i);
        }
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    /** Flips a bit of the first value that lies in the first table; says of which key that is. */
    private static String flipTheFirstValue(TestNode node) throws IOException {
        Path table = tables(node).getFirst();
        String bytes =
                Files.readString(
                        node.disk().directory().resolve(table), StandardCharsets.ISO_8859_1);
        int place = bytes.indexOf(VALUE.substring(0, 20));
        node.disk().flipBit(table, 8L * place);
        String number = bytes.substring(place + VALUE.length()).replaceAll("(?s)[^0-9].*", "");
        return "key" + number;
    }

    private static String lossOf(TestNode node) throws Exception {
        String first = NodeRequests.loss(node, "GET", "").body().lines().findFirst().orElseThrow();
        return first.startsWith("loss ") ? first.split(" ", -1)[1] : "";
    }

    @Test
    @QuorateTest(settings = {"memtable-bytes=64KiB", "segment-bytes=128KiB"})
    void whatTwoHaveLostAlikeIsNotAnsweredBeforeItIsAccepted(QuorateCluster cluster)
            throws Exception {
        int written = 0;
        while (NodeRequests.tablesOf(cluster.node(2)) == 0
                || NodeRequests.tablesOf(cluster.node(3)) == 0) {
            assertThat(cluster.put("key" + written, VALUE + written, "3/3").status())
                    .isEqualTo(201);
            written++;
        }
        String lost = flipTheFirstValue(cluster.node(2));
        assertThat(flipTheFirstValue(cluster.node(3))).isEqualTo(lost);
        assertThat(cluster.node(1).get(lost, "2/3").status()).isEqualTo(504);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !lossOf(cluster.node(2)).isEmpty());
        String name = lossOf(cluster.node(2));
        assertThat(NodeRequests.loss(cluster.node(1), "POST", "?accept=" + name).statusCode())
                .isEqualTo(409);
        assertThat(cluster.node(1).get(lost, "2/3").status()).isEqualTo(504);
        assertThat(NodeRequests.loss(cluster.node(2), "POST", "?accept=" + name).statusCode())
                .isEqualTo(202);
        for (int i = 2; i <= 3; i++) {
            TestNode node = cluster.node(i);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(40))
                    .until(() -> NodeRequests.metricOf(node, "quorate_healed_ranges_total") > 0);
            assertThat(NodeRequests.metricOf(node, "quorate_damaged_ranges")).isZero();
        }
        cluster.node(1).kill(); // which had it all
        for (int i = 0; i < written; i++) {
            assertThat(cluster.node(2).get("key" + i, "2/3").text()).isEqualTo(VALUE + i);
        }
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    @Test
    @QuorateTest(
            nodes = 1,
            settings = {"memtable-bytes=64KiB", "segment-bytes=128KiB"})
    void aLossCanBeAcceptedWithoutAPeerToHealFrom(QuorateCluster cluster) throws Exception {
        TestNode node = cluster.node(1);
        writeATable(cluster);
        String lost = flipTheFirstValue(node);
        assertThat(node.get(lost).status()).isEqualTo(504);
        Awaitility.await().until(() -> !lossOf(node).isEmpty());
        assertThat(node.get(lost).status()).isEqualTo(504);
        NodeRequests.loss(node, "POST", "?accept=" + lossOf(node));
        Awaitility.await()
                .until(() -> NodeRequests.metricOf(node, "quorate_healed_ranges_total") > 0);
        assertThat(node.get(lost).status()).isEqualTo(404);
        assertThat(cluster.verdict().isKept())
                .as("the judge knows what was acknowledged")
                .isFalse();
    }

    /** The judge sees it: a promise that was not made is not kept. */
    @Test
    @QuorateTest(settings = "durability=async")
    void whatWasNotSyncedIsLostWithThePowerAndNotWithTheProcess(QuorateCluster cluster) {
        cluster.put("key", "value", "3/3");
        cluster.nodes().forEach(TestNode::kill);
        cluster.startAll();
        assertThat(cluster.get("key", "3/3").text()).isEqualTo("value");
        cluster.put("key2", "value", "3/3");
        cluster.nodes().forEach(TestNode::losePower);
        cluster.startAll();
        assertThat(cluster.get("key2", "3/3").status()).isEqualTo(404);
        HistoryVerdict verdict = cluster.verdict();
        assertThat(verdict.isKept()).as(verdict.toString()).isFalse();
        assertThat(verdict.toString()).contains("key2");
    }

    @Test
    @QuorateTest
    void whatWasAcknowledgedOutlivesThePower(QuorateCluster cluster) {
        for (int i = 0; i < 20; i++) {
            cluster.put("key" + i, "value" + i);
        }
        cluster.nodes().forEach(TestNode::losePower);
        cluster.startAll();
        for (int i = 0; i < 20; i++) {
            assertThat(cluster.get("key" + i).text()).isEqualTo("value" + i);
        }
        assertThat(cluster.verdict().isKept()).isTrue();
    }

    /** Nobody asked for that: the test that has not noticed is told at its end. */
    @Test
    void aMishapIsNotPassedOver() throws IOException {
        QuorateCluster cluster = QuorateCluster.start(1);
        TestNode node = cluster.node(1);
        // The store's own directory goes, so that its next segment or table cannot be made.
        Path store = node.disk().directory().resolve("store");
        Files.move(store, store.resolveSibling("elsewhere"));
        Files.createFile(store);
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(
                        () -> {
                            if (node.state() == TestNode.State.RUNNING) {
                                writeOnce(cluster);
                            }
                            return node.state() == TestNode.State.GAVE_UP;
                        });
        assertThatThrownBy(cluster::close).hasMessageContaining("n1");
    }

    private static void writeOnce(QuorateCluster cluster) {
        try {
            cluster.put("key", VALUE.repeat(50) + System.nanoTime());
        } catch (RuntimeException gone) {
            // That is what the test waits for.
        }
    }
}
