package dev.quorate.loadtest.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import dev.quorate.loadtest.load.StoredValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Clusters that answer as they should, unless they are told otherwise, and note what is asked. */
final class PretendedClusters {

    static final int KEYS = 50;

    static final BenchPlan PLAN =
            new StandardPlan(8, 100, true, true)
                    .plan(List.of(1, 3), new BenchPlan.Pace(1, 2, 3, 0), KEYS);

    private static final Pattern KEY = Pattern.compile("\\?id=bench-(\\d+)-(\\d{8})&");

    static final int ENDLESS = 1_000;

    final List<String> events = new ArrayList<>();
    final Map<Integer, Long> counts = new HashMap<>();
    UnaryOperator<Probe.Answer> change = UnaryOperator.identity();
    private Profiler profiler = Profiler.NONE;
    private boolean deleted;

    /** So many PUTs go on behind the end of each run of them; each look at the node ends one. */
    int leftByPuts;

    /** How many more wait for memory after those: not under way, and answered nevertheless. */
    int waitingOfPuts;

    private int underWay;
    private int waiting;

    /** Answers each load as it should be, unless it is told otherwise. */
    BenchResult run(BenchPlan plan, BiFunction<Load, LoadResult, LoadResult> change)
            throws CommandException {
        LoadGenerator generator =
                load -> {
                    events.add(describe(load));
                    deleted = load.requests().operation() == Operation.DELETE;
                    if (load.requests().operation() == Operation.PUT) {
                        underWay = leftByPuts;
                        waiting = waitingOfPuts;
                    }
                    return change.apply(load, right(load));
                };
        return benchmark(generator).run(plan);
    }

    ClusterBenchmark benchmark(LoadGenerator generator) {
        return new ClusterBenchmark(this::start, generator, this::answer, profiler, _ -> {});
    }

    LoadResult right(Load load) {
        Operation operation = load.requests().operation();
        Map<Integer, Long> answers = new HashMap<>();
        for (int status : operation.expectedStatuses()) {
            answers.put(status, 100L);
            counts.merge(status, 100L, Long::sum);
        }
        // Each run is faster than the one before.
        double rate = 1_000 + events.size();
        long errors = operation == Operation.GET_ABSENT && load.manner() == Manner.TIMED ? 100 : 0;
        LoadResult right = Results.result(100, rate, Results.spectrum(100, 1, 2, 3, 4));
        return Results.withAnswers(
                Results.withErrors(right, 0, errors),
                load.manner().checks() ? answers : Map.of(),
                0,
                true);
    }

    /** As a node does. */
    private Probe.Answer answer(String url) {
        if (url.endsWith("/metrics")) {
            StringBuilder text = new StringBuilder("# HELP what nobody reads\n");
            text.append("quorate_http_requests_in_flight ").append(underWay).append(".0\n");
            if (underWay > 0 && underWay < ENDLESS) {
                underWay--;
                counts.merge(201, 1L, Long::sum);
            } else if (waiting > 0) {
                waiting--;
                counts.merge(201, 1L, Long::sum);
            }
            counts.forEach(
                    (status, count) ->
                            text.append(
                                    ("quorate_http_request_duration_seconds_count"
                                                    + "{code=\"%d\",op=\"get\"} %d\n"
                                                    + "quorate_http_request_duration_seconds_count"
                                                    + "{code=\"%d\",op=\"page\"} %d\n")
                                            .formatted(status, count, 999, events.size())));
            return new Probe.Answer(200, text.toString().getBytes(UTF_8));
        }
        Matcher key = KEY.matcher(url);
        assertThat(key.find()).as(url).isTrue();
        byte[] value =
                StoredValues.value(Integer.parseInt(key.group(2)), Integer.parseInt(key.group(1)));
        return change.apply(
                deleted ? new Probe.Answer(404, new byte[0]) : new Probe.Answer(200, value));
    }

    private RunningCluster start(int nodes) {
        events.add("start " + nodes);
        return new RunningCluster() {
            @Override
            public String url() {
                return "http://" + nodes;
            }

            @Override
            public List<NodeProcess> nodes() {
                return List.of(new NodeProcess("n" + nodes, nodes));
            }

            @Override
            public void close() {
                events.add("stop " + nodes);
            }
        };
    }

    private static String describe(Load load) {
        return "%s %s %s of %d bytes for %d s%s at %s"
                .formatted(
                        load.requests().operation(),
                        load.requests().replicas(),
                        load.manner(),
                        load.requests().valueBytes(),
                        load.timing().seconds(),
                        load.timing().rate() == 0 ? "" : " with " + load.timing().rate() + "/s",
                        load.url());
    }

    static BenchPlan only(String... names) {
        return PLAN.only(each -> List.of(names).contains(each.name()));
    }

    static boolean isGet(Load load) {
        return load.requests().operation() == Operation.GET;
    }

    static LoadResult withRate(LoadResult result, double rate) {
        LoadResult other = Results.result(result.requests(), rate, result.latency());
        return Results.withAnswers(other, result.answers(), result.strangeBodies(), true);
    }

    void profile() {
        profiler =
                (name, cluster) -> {
                    events.add("profile " + name + " of " + cluster.nodes().size());
                    return () -> events.add("end of profile");
                };
    }

    static LoadResult withAnswers(LoadResult result, Map<Integer, Long> answers) {
        return with(result, 0, 0, answers, 0);
    }

    static LoadResult with(
            LoadResult result,
            int socketErrors,
            int statusErrors,
            Map<Integer, Long> answers,
            int strangeBodies) {
        return Results.withAnswers(
                Results.withErrors(result, socketErrors, statusErrors),
                answers,
                strangeBodies,
                true);
    }

    static LoadResult withEveryKey(LoadResult result, boolean everyKey) {
        return Results.withAnswers(result, result.answers(), 0, everyKey);
    }
}
