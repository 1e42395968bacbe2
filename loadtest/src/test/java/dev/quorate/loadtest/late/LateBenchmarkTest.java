package dev.quorate.loadtest.late;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.NodeClient;
import dev.quorate.loadtest.StubServer;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.late.LatePlan.Loading;
import dev.quorate.loadtest.late.LatePlan.Pace;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Span;
import dev.quorate.loadtest.openloop.OpenLoopGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class LateBenchmarkTest {

    private static final Span ALWAYS = new Span(0, Long.MAX_VALUE);
    private static final int RATE = 200;

    private final List<String> said = new ArrayList<>();
    private final AtomicInteger recordings = new AtomicInteger();
    private final AtomicInteger stopped = new AtomicInteger();

    private static RunningCluster cluster(StubServer server) {
        return new RunningCluster() {
            @Override
            public String url() {
                return server.url();
            }

            @Override
            public List<NodeProcess> nodes() {
                return List.of(new NodeProcess("n1", 1));
            }

            @Override
            public void close() {}
        };
    }

    private LateResult run(StubServer server, int nodes, String name, Loading loading)
            throws Exception {
        LatePlan plan =
                new LatePlan(
                                LatePlan.cases(List.of(nodes), RATE, loading),
                                Load.Clients.of(8),
                                RATE,
                                20,
                                100,
                                new Pace(1, 1),
                                Duration.ofMillis(60))
                        .only(each -> each.name().startsWith(name));
        try (NodeClient client = new NodeClient()) {
            return new LateBenchmark(
                            _ -> cluster(server),
                            new OpenLoopGenerator(),
                            Probe.of(client),
                            _ -> {
                                recordings.incrementAndGet();
                                return _ -> {
                                    stopped.incrementAndGet();
                                    return List.of(new Happening(Cause.COLLECTOR, ALWAYS, "n1"));
                                };
                            },
                            said::add)
                    .run(plan);
        }
    }

    @Test
    void lateRequestsHaveTheCauseThatWasRecorded() throws Exception {
        AtomicInteger gets = new AtomicInteger();
        StubServer.Behaviour slowOnce =
                (method, number, known) -> {
                    if (method.equals("GET") && gets.incrementAndGet() % 100 == 0) {
                        LockSupport.parkNanos(Duration.ofMillis(80).toNanos());
                    }
                    return StubServer.GOOD.status(method, number, known);
                };
        try (StubServer server = new StubServer(slowOnce)) {
            LateResult result = run(server, 1, "one node, GET", Loading.NONE);
            assertThat(result.refusals()).isEmpty();
            LateResult.Figures figures = result.figures().getFirst();
            assertThat(figures.name()).isEqualTo("one node, GET, 200/s");
            assertThat(figures.causes().rows())
                    .singleElement()
                    .satisfies(
                            row -> {
                                assertThat(row.cause()).isEqualTo(Cause.COLLECTOR);
                                assertThat(row.requests()).isPositive();
                                assertThat(row.longestNanos()).isGreaterThan(60_000_000);
                            });
            assertThat(new LateReport(result).text())
                    .contains(
                            "one node, GET, 200/s: collector pause", "n1 ", "of several, the first")
                    .doesNotContain("unknown ");
            assertThat(new LateReport(result).json())
                    .contains("\"one node, GET, 200/s, late, collector pause, longest\"");
        }
        assertThat(recordings).hasValue(1);
        assertThat(stopped).hasValue(1);
    }

    @Test
    void oneWrongAnswerAndTheCaseHasNoFigureAndItsRecordingEnds() throws Exception {
        AtomicInteger gets = new AtomicInteger();
        StubServer.Behaviour wrongLater =
                (method, number, known) ->
                        method.equals("GET") && gets.incrementAndGet() > 500
                                ? 500
                                : StubServer.GOOD.status(method, number, known);
        try (StubServer server = new StubServer(wrongLater)) {
            LateResult result = run(server, 1, "one node, GET", Loading.NONE);
            assertThat(result.figures()).isEmpty();
            assertThat(result.refusals())
                    .singleElement()
                    .asString()
                    .startsWith("one node, GET, 200/s: no figure: every answer should have status");
            assertThat(new LateReport(result).text()).isEqualTo(result.refusals().get(0) + "\n");
        }
        assertThat(stopped).hasValue(recordings.get());
    }

    @Test
    void valuesArePutBesideTheCaseThatIsMeasuredWhileTheyAre() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (StubServer server = new StubServer(StubServer.GOOD)) {
            server.count(
                    () ->
                            asked.getAndIncrement() == 0
                                    ? "quorate_flush_bytes_total 0\n"
                                    : "quorate_flush_bytes_total 3145728\n"
                                            + "quorate_compaction_bytes_total{dir=\"written\"}"
                                            + " 1048576\n");
            LateResult result = run(server, 3, "three nodes, GET and PUT 2/3", new Loading(1, 1));
            assertThat(result.refusals()).isEmpty();
            LateResult.Figures figures = result.figures().getFirst();
            assertThat(figures.name())
                    .isEqualTo("three nodes, GET and PUT 2/3, 200/s, while 1 MiB are loaded");
            assertThat(figures.loaded()).contains(new LateResult.Loaded(1, 1, 3, 1));
            assertThat(server.keysPut()).contains("id=bench-16384-00000063");
            assertThat(new LateReport(result).text())
                    .contains("1 of 1 MiB were stored; meanwhile", "flushed 3 MiB");
        }
    }
}
