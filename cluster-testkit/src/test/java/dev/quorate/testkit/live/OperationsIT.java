package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.CommandException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sections of docs/backups.md. The machines 10.0.0.1 to 10.0.0.3 are three nodes of {@code
 * ./quorate up} here.
 */
final class OperationsIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String DATA = "DATA";

    private static final String URLS =
            "http://10.0.0.1:8080,http://10.0.0.2:8080,http://10.0.0.3:8080";

    @TempDir Path scratch;
    private PageRun run;

    @BeforeEach
    void start() throws Exception {
        run = new PageRun("docs/backups.md", scratch);
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
