package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.harness.CommandException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sections of docs/operations.md, each in the state that it is about: {@code doctor} names the
 * section, its commands are run, and then nothing is wrong any more. The machines 10.0.0.1 to
 * 10.0.0.3 are three nodes of {@code ./quorate up} here.
 */
final class OperationsIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String DATA = "DATA";
    private static final String N3_DATA = ".quorate/n3/data";

    private static final String URLS =
            "http://10.0.0.1:8080,http://10.0.0.2:8080,http://10.0.0.3:8080";

    @TempDir Path scratch;
    private PageRun run;

    @BeforeEach
    void start() throws Exception {
        run = new PageRun("docs/operations.md", scratch);
        for (int node = 1; node <= 3; node++) {
            run.with("10.0.0." + node + ":8080", "127.0.0.1:808" + (node - 1));
        }
    }

    @AfterEach
    void stop() throws Exception {
        run.close();
    }

    private void threeNodes() throws CommandException {
        run.prepare("./quorate up --detach\n");
        run.prepare("./quorate put greeting hello --replicas 3/3\n");
    }

    /** Waits until {@code doctor} leads to a section. */
    private void awaitFinding(String anchor) {
        await().atMost(LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(run.output("./quorate doctor --url " + URLS + "\n"))
                                        .contains("docs/operations.md#" + anchor));
    }

    /** Waits until {@code doctor} finds that nothing is wrong. */
    private void awaitWell() {
        await().atMost(LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(run.output("./quorate doctor --url " + URLS + "\n"))
                                        .isEqualTo("3 of 3 nodes answered; nothing is wrong.\n"));
        assertThat(run.output("./quorate get greeting --replicas 3/3\n")).isEqualTo("hello");
    }

    @Test
    void aNodeIsDown() throws Exception {
        threeNodes();
        run.prepare("./quorate kill n3\n");
        run.section("Operations");
        awaitFinding("a-node-is-down");
        run.section("A node is down");
        awaitWell();
        run.prepare("for i in second third; do ./quorate put $i x --replicas 3/3; done\n");
        run.prepare("./quorate stop n3\n");
        damageTheLog();
        assertThat(run.output("./quorate start n3\n")).contains("is corrupt");
        run.with(DATA, N3_DATA).section("It does not start");
        awaitWell();
    }

    /** In the middle of a record behind which there is another. */
    private void damageTheLog() throws IOException {
        try (Stream<Path> files = Files.list(run.working().resolve(N3_DATA).resolve("store"))) {
            for (Path log : files.filter(file -> file.toString().endsWith(".log")).toList()) {
                String text = Files.readString(log, StandardCharsets.ISO_8859_1);
                int place = text.indexOf("second");
                if (place > 0) {
                    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
                        file.seek(place);
                        file.write('X');
                    }
                    return;
                }
            }
        }
        throw new AssertionError("no log has the record");
    }

    @Test
    void tooFewNodesAreUpAndOneDoesNotVote() throws Exception {
        threeNodes();
        run.prepare("./quorate kill n2\n./quorate kill n3\n");
        awaitFinding("too-few-nodes-are-up");
        run.section("Too few nodes are up");
        run.prepare("./quorate kill n2\nrm -r " + N3_DATA + "\n");
        run.prepare("./quorate start n3 >start.out 2>&1 &\n");
        awaitFinding("a-node-does-not-vote");
        run.section("A node does not vote");
        run.prepare("./quorate start n2\nwait\n");
        awaitWell();
    }

    @Test
    void aDiskIsLostWithAllThatCouldRebuildIt() throws Exception {
        threeNodes();
        run.prepare("./quorate stop n2\n./quorate stop n3\n");
        run.prepare("rm -r .quorate/n2/data .quorate/n3/data\n");
        run.node("n3", "--secret-file .quorate/secret --trust-empty-disk=true");
        await().atMost(LIMIT)
                .until(() -> run.output("./quorate get greeting --url " + URLS).equals("hello"));
        run.stopBackground();
        run.prepare("./quorate start n3\n./quorate start n2\n./quorate repair\n");
        awaitWell();
    }

    @Test
    void twoNodesDoNotReachEachOther() throws Exception {
        threeNodes();
        run.prepare("./quorate stop n3\necho another-secret-than-the-others >other\n");
        run.node("n3", "--secret-file other");
        awaitFinding("two-nodes-do-not-reach-each-other");
        run.section("Two nodes do not reach each other");
        run.stopBackground();
        run.prepare("./quorate start n3\n");
        awaitWell();
        run.section("Replicas may differ");
    }

    @Test
    void backupsAndCheckpoints() throws Exception {
        threeNodes();
        run.with("/backup/shop", run.working().resolve("backup") + "/shop")
                .with("10.0.1.1:8080", "127.0.0.1:8180");
        run.prepare("mkdir backup\n");
        run.section("Backups");
        run.prepare("./quorate up --data .quorate-new --nodes 1 --port 8180 --detach\n");
        run.section("Restoring a backup");
        assertThat(run.output("./quorate get greeting --data .quorate-new\n")).isEqualTo("hello");
        run.prepare("./quorate down --data .quorate-new\n");
        run.section("What a checkpoint is");
        run.prepare("./quorate repair\n./quorate checkpoint monday\n");
        forEachMachine("Making a backup");
        run.prepare("./quorate checkpoint remove monday\n./quorate put greeting later\n");
        run.prepare("./quorate down\n");
        forEachMachine("Restoring the whole cluster");
        run.prepare("./quorate up --detach\n./quorate repair\n");
        awaitWell();
    }

    private void forEachMachine(String section) throws CommandException {
        for (int node = 1; node <= 3; node++) {
            run.with(DATA, ".quorate/n" + node + "/data").with("n1-monday", "n" + node + "-monday");
            run.section(section);
        }
    }
}
