package dev.quorate.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.FakeQuorate;
import dev.quorate.loadtest.load.StoredValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultBenchTest {

    @TempDir private Path home;
    @TempDir private Path programs;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home, programs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--kinds=paused,drowned",
                "--operations=get,delete",
                "--pairs=0",
                "--seconds=0",
                "--back-seconds=0",
                "--warm-up-seconds=0",
                "--connections=1",
                "--port=70000",
                "--nonsense",
                "more"
            })
    void refusesArgumentsThatMakeNoSense(String argument) throws IOException {
        new FakeWrk(programs, "wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("faults", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(quorate.calls()).isEmpty();
        assertThat(home.resolve(".quorate")).doesNotExist();
    }

    @Test
    void reportsWhatIsMissing() throws IOException {
        assertThat(bench.run("faults")).isEqualTo(2);
        assertThat(bench.err()).contains("there is no quorate to run at ");
        new FakeQuorate(home, 0);
        assertThat(bench.run("faults")).isEqualTo(2);
        assertThat(bench.err()).contains("needs wrk, which is not on the PATH");
    }

    @Test
    void hasNoFiguresWhereTheClusterDoesNotStart() throws IOException {
        new FakeWrk(programs, "wrk");
        new FakeQuorate(home, 7);
        Path json = Files.writeString(home.resolve("figures.json"), "of an earlier run");
        assertThat(bench.run("faults", "--json", json.toString())).isEqualTo(1);
        assertThat(bench.err()).contains("no figures: 'quorate up --nodes 3 --port 18280");
        assertThat(json).doesNotExist();
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void killsAndStartsTheThirdNodeAndPrintsWhatItMeasured() throws IOException {
        new FakeWrk(programs, "wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        Path json = home.resolve("figures.json");
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            for (int number = 0; number < 20_000; number += 200) {
                server.put(StoredValues.key(number, 100), StoredValues.value(number, 100));
            }
            int exit =
                    bench.run(
                            "faults",
                            "--kinds=killed",
                            "--pairs=1",
                            "--port=" + server.port(),
                            "--json=" + json);
            assertThat(exit).as(bench.err()).isZero();
        }
        assertThat(quorate.calls())
                .extracting(call -> call.replaceFirst(" --data.*", ""))
                .extracting(call -> call.replaceFirst(" --port [0-9]+", ""))
                .containsExactly(
                        "up --nodes 3 --detach",
                        "kill n3",
                        "start n3",
                        "kill n3",
                        "start n3",
                        "down");
        assertThat(bench.out())
                .contains("wrk 9.9 together", "64 connections to n1. 1 pairs")
                .containsPattern("killed, GET 2/3 +4,000 +2.0 +4,000 +1.00 +2.0 +1.0 +0 ")
                .containsPattern("killed, PUT 2/3 +4,000 ");
        assertThat(json).content().contains("\"name\":\"killed, PUT 2/3, back, p99\"");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("faults", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench faults", "--kinds", "DELAYED");
    }
}
