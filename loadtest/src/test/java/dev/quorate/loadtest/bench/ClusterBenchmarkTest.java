package dev.quorate.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.Load;
import dev.quorate.loadtest.wrk.Load.Operation;
import dev.quorate.loadtest.wrk.LoadGenerator;
import dev.quorate.loadtest.wrk.WrkResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

class ClusterBenchmarkTest {

    private static final BenchPlan PLAN =
            BenchPlan.standard(new BenchPlan.Pace(1, 2, 3), 50, 100, 8);

    private final List<String> events = new ArrayList<>();

    /** Answers each load as it should be, unless it is told otherwise. */
    private ClusterBenchmark benchmark(BiFunction<Load, WrkResult, WrkResult> change) {
        LoadGenerator generator =
                load -> {
                    events.add(describe(load));
                    int status = load.operation().expectedStatus();
                    Map<Integer, Long> answers = load.checked() ? Map.of(status, 100L) : Map.of();
                    // Each run is faster than the one before.
                    double rate = 1_000 + events.size();
                    return change.apply(load, new WrkResult(100, rate, 1, 2, 0, 0, answers, true));
                };
        return new ClusterBenchmark(this::start, generator, _ -> {});
    }

    private RunningCluster start(int nodes) {
        events.add("start " + nodes);
        return new RunningCluster() {
            @Override
            public String url() {
                return "http://" + nodes;
            }

            @Override
            public void close() {
                events.add("stop " + nodes);
            }
        };
    }

    private static String describe(Load load) {
        return "%s %s%s%s for %d s at %s"
                .formatted(
                        load.operation(),
                        load.replicas(),
                        load.inOrder() ? " in order" : "",
                        load.checked() ? " checked" : "",
                        load.seconds(),
                        load.url());
    }

    @Test
    void fillsWarmsUpAndMeasuresOneClusterAfterTheOther() throws Exception {
        List<Measurement> measurements = benchmark((_, result) -> result).run(PLAN);
        assertThat(events.subList(0, 8))
                .containsExactly(
                        "start 1",
                        "PUT 1/1 in order checked for 2 s at http://1",
                        "GET 1/1 in order checked for 2 s at http://1",
                        "STATIC 1/1 checked for 1 s at http://1",
                        "STATIC 1/1 for 2 s at http://1",
                        "STATIC 1/1 for 2 s at http://1",
                        "STATIC 1/1 for 2 s at http://1",
                        "GET 1/1 checked for 1 s at http://1");
        assertThat(events)
                .containsSubsequence(
                        "stop 1",
                        "start 3",
                        "PUT 3/3 in order checked for 2 s at http://3",
                        "GET 3/3 in order checked for 2 s at http://3",
                        "GET 2/3 checked for 1 s at http://3",
                        "GET 2/3 for 2 s at http://3",
                        "PUT 3/3 checked for 1 s at http://3",
                        "stop 3");
        assertThat(measurements)
                .extracting(Measurement::name)
                .containsExactly(
                        "one node, static",
                        "one node, GET",
                        "one node, durable PUT",
                        "three nodes, static",
                        "three nodes, GET 1/1",
                        "three nodes, GET 2/3",
                        "three nodes, GET 3/3",
                        "three nodes, durable PUT 1/1",
                        "three nodes, durable PUT 2/3",
                        "three nodes, durable PUT 3/3");
        assertThat(measurements.getFirst().reference()).isEqualTo("one node, static");
        assertThat(measurements.getLast().reference()).isEqualTo("three nodes, static");
        Measurement first = measurements.getFirst();
        assertThat(first.median().requestsPerSecond())
                .isEqualTo(first.slowest() + 1)
                .isEqualTo(first.fastest() - 1);
    }

    @Test
    void refusesASingleWrongStatusWhileItWarmsUp() {
        assertRefused(
                (load, result) ->
                        load.checked() && load.operation() == Operation.GET && !load.inOrder()
                                ? withAnswers(result, Map.of(200, 99L, 404, 1L))
                                : result,
                "one node, GET: every answer should have status 200, and these came:"
                        + " 99 with 200, 1 with 404.");
    }

    @Test
    void refusesAnotherSuccess() {
        assertRefused(
                (load, result) ->
                        load.checked() && load.operation() == Operation.PUT
                                ? withAnswers(result, Map.of(200, 100L))
                                : result,
                "one node, PUT of all keys: every answer should have status 201, and these came:"
                        + " 100 with 200.");
    }

    @Test
    void refusesAnErrorInARunThatCounts() {
        assertRefused(
                (load, result) ->
                        load.checked()
                                ? result
                                : new WrkResult(100, 1_000, 1, 2, 0, 3, Map.of(), true),
                "one node, static: 3 of 100 answers had a status above 399.");
    }

    @Test
    void refusesABrokenConnection() {
        assertRefused(
                (load, result) ->
                        load.operation() == Operation.STATIC
                                ? new WrkResult(100, 1_000, 1, 2, 1, 0, result.answers(), true)
                                : result,
                "one node, static: 1 connections failed, broke or were kept waiting for two"
                        + " seconds.");
    }

    @Test
    void refusesSilence() {
        assertRefused(
                (_, _) -> new WrkResult(0, 0, 0, 0, 0, 0, Map.of(), true),
                "one node, PUT of all keys: nothing was answered.");
    }

    @Test
    void takesTheTimeThatAClusterNeedsToBeFilled() throws Exception {
        benchmark((_, result) -> withEveryKey(result, events.size() != 2 && events.size() != 3))
                .run(PLAN);
        assertThat(events)
                .startsWith(
                        "start 1",
                        "PUT 1/1 in order checked for 2 s at http://1",
                        "PUT 1/1 in order checked for 4 s at http://1",
                        "PUT 1/1 in order checked for 8 s at http://1",
                        "GET 1/1 in order checked for 2 s at http://1",
                        "STATIC 1/1 checked for 1 s at http://1");
    }

    @Test
    void refusesToMeasureAClusterThatIsNotFull() {
        assertRefused(
                (_, result) -> withEveryKey(result, false),
                "one node, PUT of all keys: not all of 50 keys were answered within 256 seconds.");
    }

    private static WrkResult withEveryKey(WrkResult result, boolean everyKey) {
        return new WrkResult(
                result.requests(),
                result.requestsPerSecond(),
                1,
                2,
                0,
                0,
                result.answers(),
                everyKey);
    }

    private void assertRefused(BiFunction<Load, WrkResult, WrkResult> change, String sentence) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> benchmark(change).run(PLAN))
                .withMessage(sentence);
        assertThat(events).last().isEqualTo("stop 1");
    }

    private static WrkResult withAnswers(WrkResult result, Map<Integer, Long> answers) {
        return new WrkResult(
                result.requests(), result.requestsPerSecond(), 1, 2, 0, 0, answers, true);
    }

    @Test
    void stopsTheClusterWhereTheLoadGeneratorFails() {
        LoadGenerator failing =
                _ -> {
                    throw new CommandException("wrk did not come to its end.");
                };
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> new ClusterBenchmark(this::start, failing, _ -> {}).run(PLAN));
        assertThat(events).containsExactly("start 1", "stop 1");
    }
}
