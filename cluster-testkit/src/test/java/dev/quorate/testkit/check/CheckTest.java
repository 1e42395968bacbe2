package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.testkit.check.Check.ForeignCluster;
import dev.quorate.testkit.check.StubNode.Lie;
import dev.quorate.testkit.history.Promise;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The workload and the judge against a node that is honest, and against nodes that lie. */
final class CheckTest {

    @TempDir Path folder;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private int check(StubNode node, Promise promise, Duration readyLimit) throws Exception {
        long seed = System.nanoTime();
        System.out.println("CheckTest: seed " + seed);
        CheckRun.CheckOptions options =
                new CheckRun.CheckOptions(
                        Duration.ofMillis(1_500),
                        Set.of(),
                        4,
                        1_000,
                        2,
                        1,
                        promise,
                        seed,
                        folder.resolve("history"),
                        folder.resolve("jepsen"),
                        false,
                        readyLimit);
        ForeignCluster cluster = new ForeignCluster(List.of(node.url().getAuthority()));
        try (CheckRun run = new CheckRun(cluster, options, SystemTicker.INSTANCE, out)) {
            int exit = run.run();
            run.deleteKeys();
            return exit;
        }
    }

    private int check(Lie lie, Promise promise) throws Exception {
        try (StubNode node = new StubNode(lie)) {
            return check(node, promise, Duration.ofSeconds(20));
        }
    }

    @ParameterizedTest
    @CsvSource({"QUORUM", "MONOTONIC", "LINEARIZABLE"})
    void aCorrectNodeFulfilsEveryPromise(Promise promise) throws Exception {
        assertThat(check(Lie.NONE, promise)).as(text()).isEqualTo(CheckRun.HELD);
        assertThat(text()).contains("HELD", "Kept: " + promise);
    }

    @ParameterizedTest
    @CsvSource({"FORGETS_A_WRITE", "GOES_BACK", "DAMAGES"})
    void aLieIsFound(Lie lie) throws Exception {
        assertThat(check(lie, Promise.QUORUM)).as(text()).isEqualTo(CheckRun.BROKEN);
        assertThat(text()).contains("BROKEN: QUORUM", "client ");
    }

    @ParameterizedTest
    @CsvSource({"IGNORES_CONDITIONS", "FORGETS_VERSIONS"})
    void aLieAboutConditionsIsFound(Lie lie) throws Exception {
        assertThat(check(lie, Promise.LINEARIZABLE)).as(text()).isEqualTo(CheckRun.BROKEN);
        assertThat(text()).contains("BROKEN: LINEARIZABLE", " if ");
    }

    @Test
    void aCheckWithoutAnswersIsUnchecked() throws Exception {
        try (StubNode node = new StubNode(Lie.REFUSES_ALL)) {
            assertThat(check(node, Promise.QUORUM, Duration.ofMillis(500)))
                    .isEqualTo(CheckRun.UNCHECKED);
        }
        assertThat(text()).contains("NOT CHECKED").doesNotContain("HELD");
    }

    @Test
    void aNodeThatIsNeverReadyIsNotChecked() throws Exception {
        try (StubNode node = new StubNode(Lie.NEVER_READY)) {
            assertThat(check(node, Promise.QUORUM, Duration.ofMillis(300)))
                    .isEqualTo(CheckRun.UNCHECKED);
        }
        assertThat(text()).contains("is not ready after 300 ms");
    }

    @Test
    void theHistoryIsWrittenAndTheKeysOfAForeignClusterAreDeleted() throws Exception {
        try (StubNode node = new StubNode(Lie.NONE)) {
            assertThat(check(node, Promise.QUORUM, Duration.ofSeconds(20))).isZero();
            assertThat(node.liveKeys()).isZero();
        }
        assertThat(Files.readString(folder.resolve("history"))).contains("GET 1/1: ", "PUT \"c0-");
        assertThat(Files.readString(folder.resolve("jepsen"))).startsWith("{:type :invoke, ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--duration 10x                      | --duration=10x: must be a duration from 1s",
                "--duration 0s                       | --duration=0s: must be a duration from 1s",
                "--duration 1h --rate 5000           | can be checked: lower --rate or --duration",
                "--faults kill,rain                  | --faults must be any of kill,pause",
                "--faults kill http://127.0.0.1:1    | gets no faults",
                "--faults partition --data nowhere   | reach each other directly",
                "--data nowhere                      | There is no cluster in nowhere",
                "--data x http://127.0.0.1:1         | name two clusters",
                "--nodes 3 http://127.0.0.1:1        | --nodes is only for a cluster",
                "--nodes 0                           | --nodes must be 1 to",
                "--nodes 1 --faults partition        | needs more than one node",
                "--from 4                            | --from must be 1 to 3",
                "--clients 0                         | --clients must be 1 to",
                "--rate 0                            | --rate must be 1 to",
                "--keys 0                            | --keys must be 1 to",
                "--promise strict                    | --promise must be quorum, monotonic or",
                "--wrong                             | Unknown option '--wrong'. quorate check",
                "ftp://a:1                           | An address is written http://host:port",
                "http://a:1 http://a:1               | is given twice",
            })
    void whatMakesNoSenseIsRefusedInOneSentence(String words, String sentence) {
        assertThat(Check.execute(out, out, words.strip().split(" "))).isEqualTo(CheckRun.UNCHECKED);
        assertThat(text().strip()).contains(sentence).doesNotContain("\n");
    }

    /** A value that is not whole is not taken for another. */
    @Test
    void valuesNameThemselves() {
        for (int i = 0; i < 500; i++) {
            String name = "c1-" + i;
            byte[] bytes = HistoryClient.Values.bytes(name);
            assertThat(HistoryClient.Values.name(bytes)).isEqualTo(name);
            bytes[i % bytes.length] ^= 1;
            assertThat(HistoryClient.Values.name(bytes)).isNotEqualTo(name);
        }
    }
}
