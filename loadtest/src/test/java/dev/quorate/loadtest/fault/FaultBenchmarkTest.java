package dev.quorate.loadtest.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.harness.CommandException;
import dev.quorate.harness.FaultKind;
import dev.quorate.harness.VirtualClock;
import dev.quorate.loadtest.bench.Probe;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import dev.quorate.loadtest.load.StoredValues;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultBenchmarkTest {

    private static final int KEYS = 50;
    private static final List<Load.Operation> OPERATIONS =
            List.of(Load.Operation.GET, Load.Operation.PUT);

    /** What the cluster and the load generator were told to do, in order. */
    private final List<String> events = new ArrayList<>();

    private final List<String> progress = new ArrayList<>();
    private final VirtualClock clock = VirtualClock.jumping();

    /** What timed runs measure, one after the other; then a thousand a second. */
    private final Deque<LoadResult> timed = new ArrayDeque<>();

    /** How the node is when it is looked at; then it is well. */
    private final Deque<Peaks> looks = new ArrayDeque<>();

    private boolean failed;

    private final class FakeCluster implements BreakableCluster {

        @Override
        public String url() {
            return "http://n1";
        }

        @Override
        public void fail() {
            events.add("fail");
            failed = true;
        }

        @Override
        public void recover() {
            events.add("recover");
            failed = false;
        }

        @Override
        public Watching watch() {
            return new Watching() {
                @Override
                public Peaks peaks() {
                    return new Peaks(1, failed ? 7 : 0, 0, 0);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public Peaks sample() {
            return looks.isEmpty() ? Peaks.NONE : looks.poll();
        }

        @Override
        public void close() {
            events.add("close");
        }
    }

    private LoadResult generate(Load load) {
        Load.Requests requests = load.requests();
        events.add(
                "%s %s %s %d s"
                        .formatted(
                                load.manner(),
                                requests.operation(),
                                requests.replicas(),
                                load.timing().seconds()));
        assertThat(requests.keys()).isEqualTo(KEYS);
        if (load.manner().checks()) {
            int status = requests.operation() == Load.Operation.PUT ? 201 : 200;
            LoadResult right = Results.result(100, 100, Results.spectrum(100, 1, 1, 1, 1));
            return Results.withAnswers(right, Map.of(status, 100L), 0, true);
        }
        return timed.isEmpty() ? Runs.result(1_000, 10, 0, 0) : timed.poll();
    }

    /** The value of any key. */
    private static Probe.Answer get(String url) {
        String key = url.replaceFirst(".*id=", "").replaceFirst("&.*", "");
        int number = Integer.parseInt(key.substring(key.lastIndexOf('-') + 1));
        return new Probe.Answer(200, StoredValues.value(number, FaultPlan.VALUE_BYTES));
    }

    private FaultResult run(int pairs, FaultKind... kinds) throws CommandException {
        return new FaultBenchmark(
                        kind -> {
                            events.add("start " + kind);
                            return new FakeCluster();
                        },
                        this::generate,
                        FaultBenchmarkTest::get,
                        clock,
                        progress::add)
                .run(new FaultPlan(List.of(kinds), OPERATIONS, 64, KEYS, 12, 5, 3, pairs));
    }

    @Test
    void warmsUpAndThenComparesEachFaultToWhatWasRightBefore() throws CommandException {
        FaultResult result = run(1, FaultKind.KILL);
        assertThat(events)
                .containsExactly(
                        "start KILL",
                        "EVERY_KEY PUT 3/3 2 s",
                        "EVERY_KEY GET 3/3 2 s",
                        "CHECKED PUT 2/3 12 s",
                        "CHECKED GET 2/3 12 s",
                        "TIMED GET 2/3 5 s",
                        "fail",
                        "TIMED GET 2/3 1 s",
                        "TIMED GET 2/3 5 s",
                        "recover",
                        "TIMED GET 2/3 3 s",
                        "TIMED PUT 2/3 5 s",
                        "fail",
                        "TIMED PUT 2/3 1 s",
                        "TIMED PUT 2/3 5 s",
                        "recover",
                        "TIMED PUT 2/3 3 s",
                        "close");
        assertThat(result.refusals()).isEmpty();
        assertThat(result.measurements())
                .extracting(FaultMeasurement::name)
                .containsExactly("killed, GET 2/3", "killed, PUT 2/3");
    }

    @Test
    void whatWasMeasuredWhenIsNotMixedUp() throws CommandException {
        timed.add(Runs.result(1_000, 10, 0, 0));
        timed.add(Runs.result(1, 999, 1, 1)); // the first second, which does not count
        timed.add(Runs.result(800, 15, 0, 0));
        timed.add(Runs.result(600, 20, 0, 0));
        FaultMeasurement measurement = run(2, FaultKind.PAUSE).measurements().getFirst();
        assertThat(measurement.pairs()).hasSize(2);
        FaultMeasurement.Pair first = measurement.pairs().getFirst();
        assertThat(FaultMeasurement.throughputRatio(first)).isEqualTo(0.8);
        assertThat(FaultMeasurement.p99Ratio(first)).isEqualTo(1.5);
        assertThat(FaultMeasurement.backRatio(first)).isEqualTo(0.6);
        assertThat(measurement.errors()).isZero();
        assertThat(first.healthy().peaks().operations()).isZero();
        assertThat(first.failing().peaks().operations()).isEqualTo(7);
        assertThat(first.back().peaks().operations()).isZero();
        assertThat(progress)
                .contains(
                        "paused, GET 2/3: 1,000/s, p99 10.0 ms; with the fault 800/s = 0.80, p99 15.0 ms ="
                                + " 1.5x, 0 errors; back 600/s = 0.60, p99 20.0 ms = 2.0x, 0 errors");
    }

    @Test
    void whatIsLeftToBeDoneIsWaitedFor() throws CommandException {
        looks.add(new Peaks(1, 0, 0, 500));
        looks.add(new Peaks(1, 3, 0, 0));
        FaultMeasurement measurement = run(1, FaultKind.PAUSE).measurements().getFirst();
        assertThat(measurement.pairs().getFirst().settledMillis()).isEqualTo(200);
    }

    @Test
    void whatIsNeverDoneIsNotWaitedForForever() throws CommandException {
        for (int i = 0; i < 400; i++) {
            looks.add(new Peaks(1, 0, 0, 500));
        }
        FaultMeasurement measurement = run(1, FaultKind.PAUSE).measurements().getFirst();
        assertThat(measurement.settled()).isFalse();
    }

    @Test
    void anErrorInAHealthyRunIsNotComparedTo() throws CommandException {
        timed.add(Runs.result(1_000, 10, 2, 0));
        FaultResult result = run(1, FaultKind.PAUSE);
        assertThat(result.measurements())
                .extracting(FaultMeasurement::name)
                .containsExactly("paused, PUT 2/3");
        assertThat(result.refusals())
                .containsExactly(
                        new FaultResult.Refusal(
                                "paused, GET 2/3", "2 of 10000 answers had a status above 399."));
        assertThat(progress).anyMatch(line -> line.startsWith("paused, GET 2/3: no figure: 2 of"));
    }

    @Test
    void noAnswersMeanNoFigureAndTheNodeRecovers() throws CommandException {
        timed.add(Runs.result(1_000, 10, 0, 0));
        timed.add(Runs.result(0, 0, 0, 64));
        timed.add(Runs.result(0, 0, 0, 64));
        FaultResult result = run(1, FaultKind.PAUSE);
        assertThat(result.refusals())
                .containsExactly(
                        new FaultResult.Refusal("paused, GET 2/3", "nothing was answered."));
        assertThat(events.subList(events.indexOf("fail"), events.size()))
                .startsWith("fail", "TIMED GET 2/3 1 s", "TIMED GET 2/3 5 s", "recover")
                .contains("TIMED PUT 2/3 5 s");
        assertThat(failed).isFalse();
    }

    @Test
    void errorsDuringTheFaultAreReportedAndAreNoThroughput() throws CommandException {
        timed.add(Runs.result(1_000, 10, 0, 0));
        timed.add(Runs.result(1_000, 10, 0, 0));
        timed.add(Runs.result(1_000, 10, 5_000, 1));
        FaultMeasurement measurement = run(1, FaultKind.DELAY).measurements().getFirst();
        assertThat(measurement.median(FaultMeasurement::throughputRatio)).isEqualTo(0.5);
        assertThat(measurement.errors()).isEqualTo(5_001);
    }

    @Test
    void aClusterThatBreaksIsStoppedAndEndsEverything() {
        FaultBenchmark benchmark =
                new FaultBenchmark(
                        _ -> new FakeCluster(),
                        load -> {
                            throw new CommandException("wrk did not come to its end");
                        },
                        FaultBenchmarkTest::get,
                        clock,
                        progress::add);
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                benchmark.run(
                                        new FaultPlan(
                                                List.of(
                                                        FaultKind.PAUSE,
                                                        FaultKind.KILL,
                                                        FaultKind.DELAY),
                                                OPERATIONS,
                                                64,
                                                KEYS,
                                                1,
                                                1,
                                                1,
                                                1)));
        assertThat(events).containsExactly("close");
    }
}
