package dev.quorate.loadtest.bench;

import static dev.quorate.loadtest.bench.PretendedClusters.KEYS;
import static dev.quorate.loadtest.bench.PretendedClusters.PLAN;
import static dev.quorate.loadtest.bench.PretendedClusters.isGet;
import static dev.quorate.loadtest.bench.PretendedClusters.only;
import static dev.quorate.loadtest.bench.PretendedClusters.with;
import static dev.quorate.loadtest.bench.PretendedClusters.withAnswers;
import static dev.quorate.loadtest.bench.PretendedClusters.withEveryKey;
import static dev.quorate.loadtest.bench.PretendedClusters.withRate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is asked of which cluster, and what becomes a figure. */
class ClusterBenchmarkTest {

    private final PretendedClusters clusters = new PretendedClusters();

    @Test
    void fillsWarmsUpAndMeasuresOneClusterAfterTheOther() throws Exception {
        BenchResult result = clusters.run(PLAN, (_, right) -> right);
        assertThat(result.refusals()).isEmpty();
        assertThat(clusters.events)
                .startsWith(
                        "start 1",
                        "STATIC 1/1 CHECKED of 100 bytes for 1 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "PUT 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "GET 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "GET 1/1 CHECKED of 100 bytes for 1 s at http://1")
                .containsSubsequence(
                        "stop 1",
                        "start 3",
                        "PUT 3/3 EVERY_KEY of 100 bytes for 2 s at http://3",
                        "GET 2/3 CHECKED of 100 bytes for 1 s at http://3",
                        "GET 2/3 TIMED of 100 bytes for 2 s at http://3",
                        "PUT 3/3 EVERY_KEY of 1024 bytes for 2 s at http://3",
                        "GET 2/3 TIMED of 1024 bytes for 2 s at http://3",
                        "GET 2/3 TIMED of 100 bytes for 2 s with 10000/s at http://3",
                        "DELETE 2/3 CHECKED of 100 bytes for 1 s at http://3",
                        "stop 3");
        assertThat(
                        clusters.events.stream()
                                .filter(event -> event.startsWith("PUT 3/3 EVERY_KEY of 100 ")))
                .as("filled once")
                .hasSize(1);
        assertThat(result.measurements())
                .extracting(Measurement::name)
                .isEqualTo(PLAN.cases().stream().map(BenchCase::name).toList());
        Measurement first = result.measurements().getFirst();
        assertThat(first.median().requestsPerSecond())
                .isEqualTo(first.runs().getFirst().requestsPerSecond() + 1)
                .isEqualTo(first.runs().getLast().requestsPerSecond() - 1);
    }

    @Test
    void measuresTheStaticAnswerBesideEachRun() throws Exception {
        BenchPlan plan =
                new StandardPlan(8, 100, true, true)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS)
                        .only(each -> each.name().equals("one node, GET, 256 connections"));
        // The machine becomes slower and slower; a GET takes twice as long as the static answer.
        BenchResult result =
                clusters.run(
                        plan,
                        (load, right) -> {
                            int step = (clusters.events.size() + (isGet(load) ? 0 : 1)) / 2;
                            return withRate(right, (isGet(load) ? 5e5 : 1e6) / step);
                        });
        assertThat(clusters.events)
                .endsWith(
                        "GET 1/1 CHECKED of 100 bytes for 1 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "GET 1/1 TIMED of 100 bytes for 5 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "GET 1/1 TIMED of 100 bytes for 5 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "GET 1/1 TIMED of 100 bytes for 5 s at http://1",
                        "stop 1");
        assertThat(result.measurements())
                .extracting(Measurement::ratioBeside)
                .containsExactly(0.0, 0.5);
    }

    @Test
    void measuresNothingBesideAProfiledCase() throws Exception {
        clusters.profile();
        BenchPlan plan =
                new StandardPlan(8, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS)
                        .only(each -> each.name().equals("one node, GET"));
        clusters.run(plan, (_, right) -> right);
        assertThat(clusters.events)
                .doesNotContain("STATIC 1/1 TIMED of 100 bytes for 2 s at http://1");
    }

    @Test
    void comparesEachCaseToTheStaticAnswerOfItsKind() throws Exception {
        BenchResult result = clusters.run(PLAN, (_, right) -> right);
        Map<String, String> references = new HashMap<>();
        result.measurements().forEach(each -> references.put(each.name(), each.reference()));
        assertThat(references)
                .containsEntry("one node, static", "one node, static")
                .containsEntry("three nodes, durable DELETE 2/3", "three nodes, static")
                .containsEntry("three nodes, GET 2/3, 64 KiB", "three nodes, static, 64 KiB")
                .containsEntry(
                        "one node, durable PUT, 256 connections",
                        "one node, static, 256 connections")
                .containsEntry("one node, GET, half rate", "one node, static, half rate");
    }

    @Test
    void fillsOnceMoreWhatAColdClusterDidNotTake() throws Exception {
        BenchResult result =
                clusters.run(
                        only("one node, GET"),
                        (_, right) ->
                                clusters.events.size() == 6 || clusters.events.size() == 7
                                        ? withAnswers(right, Map.of(201, 90L, 504, 10L))
                                        : right);
        assertThat(result.refusals()).isEmpty();
        assertThat(clusters.events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({"0, 64", "100, 64", "16384, 64", "65536, 16", "1048576, 4"})
    void fillsGentlyWithLargeValues(int bytes, int connections) throws Exception {
        List<Load> fills = new ArrayList<>();
        BenchPlan plan =
                new StandardPlan(8, bytes, false, false).plan(List.of(1), PLAN.pace(), KEYS);
        clusters.run(
                plan.only(each -> each.name().equals("one node, GET")),
                (load, right) -> {
                    if (load.manner() == Manner.EVERY_KEY) {
                        fills.add(load);
                    }
                    return right;
                });
        assertThat(fills).hasSize(2).allMatch(load -> load.clients().connections() == connections);
    }

    @Test
    void sendsHalfOfWhatTheSameCaseReached() throws Exception {
        BenchResult result = clusters.run(only("one node, GET, half rate"), (_, right) -> right);
        double reached = result.measurements().get(1).median().requestsPerSecond();
        assertThat(result.measurements().getLast().rate()).isEqualTo((int) (reached / 2));
        assertThat(clusters.events)
                .contains(
                        "GET 1/1 TIMED of 100 bytes for 2 s with %d/s at http://1"
                                .formatted((int) (reached / 2)));
    }

    @Test
    void fillsAgainWhatWasDeleted() throws Exception {
        BenchCase fixed = new BenchCase("static", Operation.STATIC, "1/1", 8, 100, Rate.HIGHEST);
        BenchCase delete = new BenchCase("DELETE", Operation.DELETE, "1/1", 8, 100, Rate.HIGHEST);
        BenchCase get = new BenchCase("GET", Operation.GET, "1/1", 8, 100, Rate.HIGHEST);
        BenchPlan plan =
                new BenchPlan(
                        List.of(
                                new BenchPlan.ClusterPlan(
                                        "one node", 1, List.of(fixed, delete, get))),
                        PLAN.pace(),
                        KEYS);
        clusters.run(plan, (_, right) -> right);
        assertThat(clusters.events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(2);
    }

    @Test
    void profilesTheRunsThatCount() throws Exception {
        clusters.profile();
        clusters.run(only("one node, static"), (_, right) -> right);
        assertThat(clusters.events)
                .containsExactly(
                        "start 1",
                        "STATIC 1/1 CHECKED of 100 bytes for 1 s at http://1",
                        "profile one node, static of 1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "STATIC 1/1 TIMED of 100 bytes for 2 s at http://1",
                        "end of profile",
                        "stop 1");
    }

    @Test
    void endsTheProfileOfACaseThatIsRefused() throws Exception {
        clusters.profile();
        clusters.run(
                only("one node, static"),
                (load, right) ->
                        load.manner() == Manner.TIMED ? with(right, 1, 0, Map.of(), 0) : right);
        assertThat(clusters.events).endsWith("end of profile", "stop 1");
    }

    @Test
    void waitsForWhatARunHasLeft() throws Exception {
        clusters.leftByPuts = 3;
        clusters.waitingOfPuts = 2;
        BenchPlan plan =
                new StandardPlan(64, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS);
        assertThat(clusters.run(plan, (load, result) -> result).refusals()).isEmpty();
    }

    @Test
    void takesTheTimeThatAClusterNeedsToBeFilled() throws Exception {
        clusters.run(
                only("one node, GET"),
                (_, right) ->
                        withEveryKey(
                                right, clusters.events.size() != 6 && clusters.events.size() != 7));
        assertThat(clusters.events)
                .containsSubsequence(
                        "PUT 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "PUT 1/1 EVERY_KEY of 100 bytes for 4 s at http://1",
                        "PUT 1/1 EVERY_KEY of 100 bytes for 8 s at http://1",
                        "GET 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "GET 1/1 CHECKED of 100 bytes for 1 s at http://1");
    }

    @Test
    void stopsTheClusterWhereTheLoadGeneratorFails() {
        LoadGenerator failing =
                _ -> {
                    throw new CommandException("wrk did not come to its end.");
                };
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> clusters.benchmark(failing).run(PLAN));
        assertThat(clusters.events).containsExactly("start 1", "stop 1");
    }
}
