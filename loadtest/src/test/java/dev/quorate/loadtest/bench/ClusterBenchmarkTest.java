package dev.quorate.loadtest.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.loadtest.process.CommandException;
import dev.quorate.loadtest.wrk.Load;
import dev.quorate.loadtest.wrk.Load.Manner;
import dev.quorate.loadtest.wrk.Load.Operation;
import dev.quorate.loadtest.wrk.LoadGenerator;
import dev.quorate.loadtest.wrk.StoredValues;
import dev.quorate.loadtest.wrk.WrkResult;
import dev.quorate.loadtest.wrk.WrkResult.Percentiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterBenchmarkTest {

    private static final int KEYS = 50;

    private static final BenchPlan PLAN =
            new StandardPlan(8, 100, true, true)
                    .plan(List.of(1, 3), new BenchPlan.Pace(1, 2, 3, 0), KEYS);

    private static final Pattern KEY = Pattern.compile("\\?id=bench-(\\d+)-(\\d{8})&");

    private static final int ENDLESS = 1_000;

    private final List<String> events = new ArrayList<>();
    private final Map<Integer, Long> counts = new HashMap<>();
    private UnaryOperator<Probe.Answer> change = UnaryOperator.identity();
    private Profiler profiler = Profiler.NONE;
    private boolean deleted;

    /** So many PUTs go on behind the end of each run of them; each look at the node ends one. */
    private int leftByPuts;

    private int underWay;

    /** Answers each load as it should be, unless it is told otherwise. */
    private BenchResult run(BenchPlan plan, BiFunction<Load, WrkResult, WrkResult> change)
            throws CommandException {
        LoadGenerator generator =
                load -> {
                    events.add(describe(load));
                    deleted = load.requests().operation() == Operation.DELETE;
                    underWay = load.requests().operation() == Operation.PUT ? leftByPuts : 0;
                    return change.apply(load, right(load));
                };
        return new ClusterBenchmark(this::start, generator, this::answer, profiler, _ -> {})
                .run(plan);
    }

    private WrkResult right(Load load) {
        Operation operation = load.requests().operation();
        Map<Integer, Long> answers = new HashMap<>();
        for (int status : operation.expectedStatuses()) {
            answers.put(status, 100L);
            counts.merge(status, 100L, Long::sum);
        }
        // Each run is faster than the one before.
        double rate = 1_000 + events.size();
        long errors = operation == Operation.GET_ABSENT && load.manner() == Manner.TIMED ? 100 : 0;
        return new WrkResult(
                100,
                rate,
                new Percentiles(1, 2, 3, 4),
                0,
                errors,
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
                        load.seconds(),
                        load.rate() == 0 ? "" : " with " + load.rate() + "/s",
                        load.url());
    }

    private static BenchPlan only(String... names) {
        return PLAN.only(each -> List.of(names).contains(each.name()));
    }

    @Test
    void fillsWarmsUpAndMeasuresOneClusterAfterTheOther() throws Exception {
        BenchResult result = run(PLAN, (_, right) -> right);
        assertThat(result.refusals()).isEmpty();
        assertThat(events)
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
        assertThat(events.stream().filter(event -> event.startsWith("PUT 3/3 EVERY_KEY of 100 ")))
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
                run(
                        plan,
                        (load, right) -> {
                            int step = (events.size() + (isGet(load) ? 0 : 1)) / 2;
                            return withRate(right, (isGet(load) ? 5e5 : 1e6) / step);
                        });
        assertThat(events)
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

    private static boolean isGet(Load load) {
        return load.requests().operation() == Operation.GET;
    }

    private static WrkResult withRate(WrkResult result, double rate) {
        return new WrkResult(
                result.requests(),
                rate,
                result.latency(),
                0,
                0,
                result.answers(),
                result.strangeBodies(),
                true);
    }

    @Test
    void measuresNothingBesideAProfiledCase() throws Exception {
        profile();
        BenchPlan plan =
                new StandardPlan(8, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS)
                        .only(each -> each.name().equals("one node, GET"));
        run(plan, (_, right) -> right);
        assertThat(events).doesNotContain("STATIC 1/1 TIMED of 100 bytes for 2 s at http://1");
    }

    @Test
    void comparesEachCaseToTheStaticAnswerOfItsKind() throws Exception {
        BenchResult result = run(PLAN, (_, right) -> right);
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
                run(
                        only("one node, GET"),
                        (_, right) ->
                                events.size() == 6 || events.size() == 7
                                        ? withAnswers(right, Map.of(201, 90L, 504, 10L))
                                        : right);
        assertThat(result.refusals()).isEmpty();
        assertThat(events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(3);
    }

    @Test
    void refusesAClusterThatDoesNotTakeItsKeysAgainAndAgain() throws Exception {
        assertRefused(
                (load, right) ->
                        load.requests().operation() == Operation.PUT
                                ? withAnswers(right, Map.of(201, 90L, 503, 10L))
                                : right,
                "PUT of all keys: every answer should have status 201, and these came: 90 with 201,"
                        + " 10 with 503.");
        assertThat(events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"0, 64", "100, 64", "16384, 64", "65536, 16", "1048576, 4"})
    void fillsGentlyWithLargeValues(int bytes, int connections) throws Exception {
        List<Load> fills = new ArrayList<>();
        BenchPlan plan =
                new StandardPlan(8, bytes, false, false).plan(List.of(1), PLAN.pace(), KEYS);
        run(
                plan.only(each -> each.name().equals("one node, GET")),
                (load, right) -> {
                    if (load.manner() == Manner.EVERY_KEY) {
                        fills.add(load);
                    }
                    return right;
                });
        assertThat(fills).hasSize(2).allMatch(load -> load.requests().connections() == connections);
    }

    @Test
    void sendsHalfOfWhatTheSameCaseReached() throws Exception {
        BenchResult result = run(only("one node, GET, half rate"), (_, right) -> right);
        double reached = result.measurements().get(1).median().requestsPerSecond();
        assertThat(result.measurements().getLast().rate()).isEqualTo((int) (reached / 2));
        assertThat(events)
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
        run(plan, (_, right) -> right);
        assertThat(events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(2);
    }

    private void profile() {
        profiler =
                (name, cluster) -> {
                    events.add("profile " + name + " of " + cluster.nodes().size());
                    return () -> events.add("end of profile");
                };
    }

    @Test
    void profilesTheRunsThatCount() throws Exception {
        profile();
        run(only("one node, static"), (_, right) -> right);
        assertThat(events)
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
        profile();
        run(
                only("one node, static"),
                (load, right) ->
                        load.manner() == Manner.TIMED ? with(right, 1, 0, Map.of(), 0) : right);
        assertThat(events).endsWith("end of profile", "stop 1");
    }

    @Test
    void refusesASingleWrongStatusWhileItWarmsUp() throws Exception {
        assertRefused(
                (load, right) ->
                        load.manner() == Manner.CHECKED
                                        && load.requests().operation() == Operation.GET
                                ? withAnswers(right, Map.of(200, 99L, 404, 1L))
                                : right,
                "every answer should have status 200, and these came: 99 with 200, 1 with 404.");
    }

    @Test
    void refusesAnotherSuccess() throws Exception {
        assertRefused(
                (load, right) ->
                        load.manner().checks() && load.requests().operation() == Operation.PUT
                                ? withAnswers(right, Map.of(200, 100L))
                                : right,
                "PUT of all keys: every answer should have status 201, and these came:"
                        + " 100 with 200.");
    }

    @Test
    void refusesASingleBodyThatNobodyPut() throws Exception {
        assertRefused(
                (load, right) ->
                        load.manner() == Manner.CHECKED
                                        && load.requests().operation() == Operation.GET
                                ? with(right, 0, 0, right.answers(), 1)
                                : right,
                "1 answers had a body that was never put.");
    }

    @Test
    void refusesAnErrorInARunThatCounts() throws Exception {
        assertRefused(
                (load, right) ->
                        load.manner() == Manner.TIMED
                                        && load.requests().operation() == Operation.GET
                                ? with(right, 0, 3, Map.of(), 0)
                                : right,
                "3 of 100 answers had a status above 399.");
    }

    @Test
    void refusesABrokenConnection() throws Exception {
        assertRefused(
                (load, right) ->
                        load.requests().operation() == Operation.GET
                                        && load.manner() == Manner.TIMED
                                ? with(right, 1, 0, right.answers(), 0)
                                : right,
                "1 connections failed, broke or were kept waiting for two seconds.");
    }

    @Test
    void refusesAnAbsentKeyThatIsThere() throws Exception {
        BenchResult result =
                run(
                        only("one node, GET absent"),
                        (load, right) ->
                                load.manner() == Manner.TIMED
                                                && load.requests().operation()
                                                        == Operation.GET_ABSENT
                                        ? with(right, 0, 99, Map.of(), 0)
                                        : right);
        assertThat(result.refusals())
                .extracting(BenchResult.Refusal::reason)
                .containsExactly("1 of 100 answers had a status below 400.");
    }

    @Test
    void refusesWhatOnlyTheNodeNoticed() throws Exception {
        assertRefused(
                (load, right) -> {
                    if (load.manner() == Manner.TIMED
                            && load.requests().operation() == Operation.GET) {
                        counts.merge(204, 1L, Long::sum);
                    }
                    return right;
                },
                "the node was to answer with 200, and it counts: 100 with 200, 1 with 204.");
    }

    @Test
    void waitsForWhatARunHasLeftUnderWay() throws Exception {
        leftByPuts = 3;
        BenchPlan plan =
                new StandardPlan(64, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS);
        assertThat(run(plan, (load, result) -> result).refusals()).isEmpty();
    }

    @Test
    void refusesWhereSomethingIsUnderWayForEver() throws Exception {
        leftByPuts = ENDLESS;
        BenchPlan plan =
                new StandardPlan(64, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS);
        assertThat(run(plan, (load, result) -> result).refusals())
                .extracting(BenchResult.Refusal::reason)
                .contains("requests are under way though nobody sends any.");
    }

    @Test
    void refusesWhereTheNodeKnowsOfNoRequest() throws Exception {
        assertRefused(
                (load, right) -> {
                    if (load.manner() == Manner.TIMED
                            && load.requests().operation() == Operation.GET) {
                        counts.merge(200, -100L, Long::sum);
                    }
                    return right;
                },
                "the node was to answer with 200, and it counts: none.");
    }

    @Test
    void refusesAKeyWithAnotherValue() throws Exception {
        change =
                answer -> {
                    byte[] body = answer.body().clone();
                    boolean hit = body.length > 7 && body[7] == '7';
                    if (hit) {
                        body[50] ^= 1;
                    }
                    return new Probe.Answer(answer.status(), body);
                };
        assertRefused(
                (_, right) -> right,
                "a GET 1/1 of bench-100-00000007 was answered with status 200 and a value that was"
                        + " never put there.");
    }

    @Test
    void refusesAKeyThatIsGone() throws Exception {
        change = _ -> new Probe.Answer(404, new byte[0]);
        assertRefused(
                (_, right) -> right,
                "a GET 1/1 of bench-100-00000000 was answered with status 404 and no value.");
    }

    @Test
    void refusesDeletesThatDeleteNothing() throws Exception {
        LoadGenerator generator = this::right;
        BenchResult result =
                new ClusterBenchmark(this::start, generator, this::answer, profiler, _ -> {})
                        .run(only("one node, durable DELETE"));
        assertThat(result.refusals())
                .extracting(BenchResult.Refusal::reason)
                .containsExactly("all of 50 keys that were looked at are still there.");
    }

    @Test
    void refusesWhatIsComparedToNothing() throws Exception {
        BenchResult result =
                run(
                        only("one node, GET", "one node, GET, half rate"),
                        (_, right) ->
                                new WrkResult(
                                        0, 0, right.latency(), 0, 0, right.answers(), 0, true));
        assertThat(result.measurements()).isEmpty();
        assertThat(result.refusals())
                .containsExactly(
                        new BenchResult.Refusal("one node, static", "nothing was answered."),
                        new BenchResult.Refusal(
                                "one node, GET", "there is no figure for one node, static."),
                        new BenchResult.Refusal(
                                "one node, static, half rate",
                                "there is no figure for one node, static."),
                        new BenchResult.Refusal(
                                "one node, GET, half rate",
                                "there is no figure for one node, static, half rate."));
    }

    @Test
    void takesTheTimeThatAClusterNeedsToBeFilled() throws Exception {
        run(
                only("one node, GET"),
                (_, right) -> withEveryKey(right, events.size() != 6 && events.size() != 7));
        assertThat(events)
                .containsSubsequence(
                        "PUT 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "PUT 1/1 EVERY_KEY of 100 bytes for 4 s at http://1",
                        "PUT 1/1 EVERY_KEY of 100 bytes for 8 s at http://1",
                        "GET 1/1 EVERY_KEY of 100 bytes for 2 s at http://1",
                        "GET 1/1 CHECKED of 100 bytes for 1 s at http://1");
    }

    @Test
    void refusesToMeasureAClusterThatIsNotFull() throws Exception {
        assertRefused(
                (_, right) -> withEveryKey(right, false),
                "PUT of all keys: not all of 50 were answered within 256 seconds.");
    }

    /** That one node's GET has no figure, and its static answer has one. */
    private void assertRefused(BiFunction<Load, WrkResult, WrkResult> change, String sentence)
            throws CommandException {
        BenchResult result = run(only("one node, GET"), change);
        assertThat(result.refusals())
                .containsExactly(new BenchResult.Refusal("one node, GET", sentence));
        assertThat(result.measurements())
                .extracting(Measurement::name)
                .containsExactly("one node, static");
        assertThat(events).last().isEqualTo("stop 1");
    }

    private static WrkResult withAnswers(WrkResult result, Map<Integer, Long> answers) {
        return with(result, 0, 0, answers, 0);
    }

    private static WrkResult with(
            WrkResult result,
            int socketErrors,
            int statusErrors,
            Map<Integer, Long> answers,
            int strangeBodies) {
        return new WrkResult(
                result.requests(),
                result.requestsPerSecond(),
                result.latency(),
                socketErrors,
                statusErrors,
                answers,
                strangeBodies,
                true);
    }

    private static WrkResult withEveryKey(WrkResult result, boolean everyKey) {
        return new WrkResult(
                result.requests(),
                result.requestsPerSecond(),
                result.latency(),
                0,
                0,
                result.answers(),
                0,
                everyKey);
    }

    @Test
    void stopsTheClusterWhereTheLoadGeneratorFails() {
        LoadGenerator failing =
                _ -> {
                    throw new CommandException("wrk did not come to its end.");
                };
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                new ClusterBenchmark(
                                                this::start,
                                                failing,
                                                this::answer,
                                                profiler,
                                                _ -> {})
                                        .run(PLAN));
        assertThat(events).containsExactly("start 1", "stop 1");
    }
}
