package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.testkit.QuorateCluster;
import dev.quorate.testkit.cluster.TestNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sections of docs/operations.md about clocks and disks, on nodes of this process, whose clocks
 * and disks have faults. {@code ./quorate} asks them as any others.
 */
final class OperationsUnderFaultsIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String VALUE = "a value that is found in the bytes of a table ".repeat(20);

    private static final String DOCTOR =
            "./quorate doctor --url http://10.0.0.1:8080,http://10.0.0.2:8080,http://10.0.0.3:8080\n";

    @TempDir Path scratch;
    private QuorateCluster cluster;
    private PageRun run;

    @BeforeEach
    void start() throws Exception {
        run = new PageRun("docs/operations.md", scratch);
        cluster =
                QuorateCluster.builder()
                        .setting("memtable-bytes", "64KiB")
                        .setting("segment-bytes", "128KiB")
                        .start();
        for (int node = 1; node <= 3; node++) {
            run.with("http://10.0.0." + node + ":8080", cluster.url(node));
        }
        await().atMost(LIMIT).untilAsserted(() -> assertThat(doctor()).contains("nothing is"));
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
        run.close();
    }

    private String doctor() {
        return run.output(DOCTOR);
    }

    private void awaitFinding(String anchor) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(doctor()).contains("docs/operations.md#" + anchor));
    }

    private void awaitWell() {
        await().atMost(LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(doctor())
                                        .isEqualTo("3 of 3 nodes answered; nothing is wrong.\n"));
    }

    @Test
    void aClockIsWrong() {
        cluster.node(3).clock().setAhead(Duration.ofMillis(400));
        awaitFinding("a-clock-is-wrong");
        assertThat(cluster.put("key", "1", "3/3").status()).as("up to 0.5 s").isEqualTo(201);
        cluster.node(3).clock().setAhead(Duration.ofSeconds(3));
        await().atMost(LIMIT).until(() -> cluster.node(3).put("other", "2", "2/3").status() == 504);
        assertThat(cluster.node(1).put("key", "3", "2/3").status()).isEqualTo(201);
        cluster.node(3).clock().setAhead(Duration.ZERO);
        awaitWell();
        assertThat(cluster.node(3).get("key", "3/3").text()).isEqualTo("3");
    }

    @Test
    void aDiskIsFull() throws Exception {
        run.prepare(DOCTOR.replace("doctor", "checkpoint monday"));
        cluster.node(3).disk().fillUp();
        awaitFinding("a-disk-is-full");
        assertThat(cluster.put("key", "1", "2/3").status()).isEqualTo(201);
        run.section("A disk is full");
        cluster.node(3).disk().free();
        awaitWell();
        assertThat(cluster.node(3).get("key", "2/3").text()).isEqualTo("1");
    }

    /** In the same value on two of three. */
    @Test
    void dataIsDamaged() throws Exception {
        for (int i = 0; !hasTables(2) || !hasTables(3); i++) {
            assertThat(cluster.put("key" + i, VALUE + i, "3/3").status()).isEqualTo(201);
        }
        String lost = "key0";
        flipValue0(2);
        flipValue0(3);
        assertThat(cluster.node(1).get(lost, "2/3").status()).isEqualTo(504);
        awaitFinding("data-is-damaged");
        String command = run.page().run("Data is damaged").getFirst().text();
        await().atMost(LIMIT).until(() -> run.output(command).contains("type the number"));
        run.section("Data is damaged");
        assertThat(run.output("echo 1 | " + command)).contains("has healed");
        await().atMost(LIMIT).until(() -> cluster.node(3).get(lost, "3/3").status() == 200);
        cluster.node(2).restart();
        cluster.node(3).restart();
        awaitWell();
    }

    /** A file may be one that is still written. */
    private boolean hasTables(int node) {
        return run.output("curl -s %s/metrics\n".formatted(cluster.url(node)))
                .lines()
                .anyMatch(line -> line.matches("quorate_sstables [1-9].*"));
    }

    private List<Path> tables(int node) {
        return cluster.node(node).disk().files().stream()
                .filter(file -> file.toString().endsWith(".sst"))
                .toList();
    }

    /** Flips a bit of the value of key0, in whichever table it is. */
    private void flipValue0(int number) throws IOException {
        TestNode node = cluster.node(number);
        Pattern value = Pattern.compile(Pattern.quote(VALUE) + "0(?![0-9])");
        for (Path table : tables(number)) {
            Path file = node.disk().directory().resolve(table);
            String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
            Matcher found = value.matcher(bytes);
            if (found.find()) {
                node.disk().flipBit(table, 8L * found.start());
                return;
            }
        }
        throw new AssertionError("no table of n" + number + " has key0");
    }
}
