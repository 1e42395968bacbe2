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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterBenchTest {

    @TempDir private Path home;
    @TempDir private Path programs;
    private BenchCommand bench;

    @BeforeEach
    void setUp() {
        bench = new BenchCommand(home, programs);
    }

    private void install(String program) throws IOException {
        Path file = programs.resolve(program);
        Files.writeString(file, "#!/bin/sh\necho nonsense\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void printsWhatItWillMeasureOfConditionalWrites() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--conditional", "--quick", "--plan")).isZero();
        assertThat(bench.out())
                .startsWith(
                        "PUT 2/3\nPUT 2/3 linearizable\nPUT 2/3 If-Match\nincrements, 1 client\n")
                .endsWith("8 cases, about 1:51 minutes.\n");
        assertThat(bench.run("cluster", "--conditional", "--beside", "redis", "redis://a:1"))
                .isEqualTo(2);
        assertThat(bench.err()).contains("--conditional knows etcd alone beside Quorate");
        assertThat(
                        bench.run(
                                "cluster",
                                "--conditional",
                                "--beside",
                                "etcd",
                                "http://a:1",
                                "--plan"))
                .isZero();
        assertThat(bench.out()).contains("etcd put if version\n", "12 cases");
    }

    @Test
    void reportsInOneSentenceThatItNeedsWrk() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(bench.run("cluster")).isEqualTo(2);
        assertThat(bench.err())
                .isEqualTo(
                        "quorate bench: needs wrk, which is not on the PATH; on Debian, 'apt install"
                                + " wrk' brings it.\n");
        assertThat(bench.out()).isEmpty();
    }

    @Test
    void reportsMissingFilesOfACopiedReport() throws IOException {
        install("wrk");
        assertThat(bench.run("cluster")).isEqualTo(2);
        assertThat(bench.err()).contains("there is no quorate to run at ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--connections=1",
                "--connections=many",
                "--value-bytes=-1",
                "--value-bytes=65537",
                "--keys=1",
                "--port=0",
                "--nodes=0",
                "--nodes=3,10",
                "--nodes=three",
                "--cases=four nodes*",
                "--cases=GET",
                "--profile=disk",
                "--rate=0",
                "--nonsense",
                "more"
            })
    void refusesArgumentsThatMakeNoSense(String argument) throws IOException {
        install("wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", argument)).isEqualTo(2);
        assertThat(bench.err()).isNotEmpty();
        assertThat(quorate.calls()).isEmpty();
    }

    @Test
    void printsItsPlanAndHowLongItTakes() throws IOException {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--plan", "--quick", "--nodes", "1")).isZero();
        assertThat(bench.out().lines())
                .containsExactly(
                        "one node, static",
                        "one node, GET",
                        "one node, GET absent",
                        "one node, GET and PUT",
                        "one node, durable PUT",
                        "one node, durable DELETE",
                        "6 cases, about 1:05 minutes.");
        assertThat(quorate.calls()).isEmpty();
        assertThat(bench.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "three nodes, GET 2/3|2",
                "THREE*2/3, 1 KiB|3",
                "*connections|18",
                "*|68",
                "one node, GET, half rate|4",
            })
    void choosesCasesByTheirNames(String pattern, int cases) throws IOException {
        new FakeQuorate(home, 0);
        install("wrk2");
        bench.run("cluster", "--plan", "--cases", pattern);
        assertThat(bench.out().lines().filter(line -> line.contains(" node"))).hasSize(cases);
    }

    @Test
    void hasNoFixedRatesWithoutWrk2() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--plan", "--cases", "*static", "--cases", "*/s"))
                .isEqualTo(2);
        assertThat(bench.err())
                .contains("no case is called '*/s'; see --plan. (Without wrk2 on the PATH there");
        install("wrk2");
        assertThat(bench.run("cluster", "--plan", "--cases", "*static", "--cases", "*/s")).isZero();
    }

    @Test
    void anotherStoreIsNamedWithItsAddressAndAskedBeforeAnythingStarts() throws IOException {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--beside", "etcd")).isEqualTo(2);
        assertThat(bench.run("cluster", "--beside", "mysql", "http://127.0.0.1:1")).isEqualTo(2);
        assertThat(bench.err()).contains("--beside knows etcd and redis, not 'mysql'.");
        String[] closed = {"cluster", "--quick", "--beside", "redis", "redis://127.0.0.1:1"};
        assertThat(bench.run(closed)).isEqualTo(1);
        assertThat(bench.err()).contains("no figures: nothing listens at redis://127.0.0.1:1.");
        assertThat(quorate.calls()).isEmpty();
    }

    @Test
    void takesPatternsForNoMoreThanNames() throws IOException {
        new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--plan", "--cases", "one node, GET (absent)?"))
                .isEqualTo(2);
        assertThat(bench.run("cluster", "--plan", "--cases", "one node, GE.")).isEqualTo(2);
    }

    @Test
    void printsTheFiguresAndTheirCircumstances() throws IOException {
        FakeQuorate quorate = new FakeQuorate(home, 0);
        FakeWrk wrk = new FakeWrk(programs, "wrk");
        Path json = home.resolve("figures.json");
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            server.count(wrk::counts);
            for (int number = 0; number < 200; number++) {
                server.put(StoredValues.key(number, 100), StoredValues.value(number, 100));
            }
            int exit =
                    bench.run(
                            "cluster",
                            "--cases=one node, GET",
                            "--cases=one node, GET a*",
                            "--cases=one node, durable PUT",
                            "--keys=200",
                            "--port=" + server.port(),
                            "--json=" + json);
            assertThat(exit).as(bench.err()).isEqualTo(1);
        }
        assertThat(bench.out())
                .contains("wrk 9.9 together", "No fixed rates: wrk2 is not on the PATH.")
                .contains("200 keys, values of 100 bytes, 64 connections to one node")
                .containsPattern("one node, GET +4,000 +1.00 +1.00 +2.00 +1.0 +3.0 +4.0 ")
                .containsPattern("one node, durable PUT +4,000 ")
                // This wrk answers an absent key with 200, and a mix with nothing else.
                .contains("one node, GET absent: no figure: every answer should have status 404")
                .contains(
                        "one node, GET and PUT: no figure: every answer should have status 200 or");
        assertThat(bench.err()).contains("5 cases, about ", "It took ");
        assertThat(json)
                .content()
                .contains("\"name\":\"one node, GET, p99\",\"value\":2.000,\"unit\":\"ms\"")
                .doesNotContain("absent");
        assertThat(quorate.calls()).hasSize(2).last().asString().startsWith("down");
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void takesWrk2ForFixedRates() throws IOException {
        new FakeQuorate(home, 0);
        new FakeWrk(programs, "wrk");
        FakeWrk wrk = new FakeWrk(programs, "wrk2");
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            server.count(wrk::counts);
            String cases = "one node, static, *rate";
            assertThat(bench.run("cluster", "--cases", cases, "--port=" + server.port()))
                    .as(bench.err())
                    .isZero();
        }
        assertThat(wrk.loads().stream().filter(load -> load.startsWith("--rate=2000 ")))
                .hasSize(3)
                .allMatch(load -> load.contains("--duration=17s"));
        assertThat(bench.out())
                .contains("Fixed rates are sent by wrk2")
                .containsPattern("one node, static, half rate +4,000 +1.00 +2.00 ");
    }

    @Test
    void hasNoFiguresWhereTheClusterDoesNotStart() throws IOException {
        install("wrk");
        new FakeQuorate(home, 1);
        Path json = Files.writeString(home.resolve("figures.json"), "of an earlier run");
        assertThat(bench.run("cluster", "--quick", "--json", json.toString())).isEqualTo(1);
        assertThat(bench.err())
                .contains("no figures: 'quorate up --nodes 1 --port 18080 --detach' failed");
        assertThat(json).doesNotExist();
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void hasNoFiguresWhereTheLoadGeneratorDoesNotWork() throws IOException {
        install("wrk");
        FakeQuorate quorate = new FakeQuorate(home, 0);
        assertThat(bench.run("cluster", "--port", "19090")).isEqualTo(1);
        assertThat(bench.err()).contains("no figures: wrk did not come to its end");
        assertThat(quorate.calls()).hasSize(2).last().asString().startsWith("down");
        assertThat(bench.out()).isEmpty();
        assertThat(home.resolve(".quorate")).isEmptyDirectory();
    }

    @Test
    void explainsItself() {
        assertThat(bench.run("cluster", "--help")).isZero();
        assertThat(bench.out()).contains("quorate bench cluster", "--quick", "--json", "--cases");
        assertThat(bench.run("--help")).isZero();
        assertThat(bench.run()).isEqualTo(2);
    }
}
