package dev.quorate.loadtest.bench;

import static dev.quorate.loadtest.bench.PretendedClusters.ENDLESS;
import static dev.quorate.loadtest.bench.PretendedClusters.KEYS;
import static dev.quorate.loadtest.bench.PretendedClusters.only;
import static dev.quorate.loadtest.bench.PretendedClusters.with;
import static dev.quorate.loadtest.bench.PretendedClusters.withAnswers;
import static dev.quorate.loadtest.bench.PretendedClusters.withEveryKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** What does not become a figure, and why. */
class RefusedFiguresTest {

    private final PretendedClusters clusters = new PretendedClusters();

    @Test
    void refusesAClusterThatDoesNotTakeItsKeysAgainAndAgain() throws Exception {
        assertRefused(
                (load, right) ->
                        load.requests().operation() == Operation.PUT
                                ? withAnswers(right, Map.of(201, 90L, 503, 10L))
                                : right,
                "PUT of all keys: every answer should have status 201, and these came: 90 with 201,"
                        + " 10 with 503.");
        assertThat(clusters.events.stream().filter(event -> event.startsWith("PUT 1/1 EVERY_KEY")))
                .hasSize(4);
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
    void refusesASingleWrongBody() throws Exception {
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
    void refusesAnUnexpectedStatusWhereTheLoadGeneratorReportsIt() throws Exception {
        assertRefused(
                (load, right) ->
                        load.manner() == Manner.TIMED
                                        && load.requests().operation() == Operation.GET
                                ? with(right, 0, 0, Map.of(200, 99L, 204, 1L), 0)
                                : right,
                "every answer should have status 200, and these came: 99 with 200, 1 with 204.");
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
                clusters.run(
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
                        clusters.counts.merge(204, 1L, Long::sum);
                    }
                    return right;
                },
                "the node was to answer with 200, and it counts: 100 with 200, 1 with 204.");
    }

    @Test
    void refusesWhereSomethingIsUnderWayForEver() throws Exception {
        clusters.leftByPuts = ENDLESS;
        BenchPlan plan =
                new StandardPlan(64, 100, false, false)
                        .plan(List.of(1), new BenchPlan.Pace(1, 5, 3, 2), KEYS);
        assertThat(clusters.run(plan, (load, result) -> result).refusals())
                .extracting(BenchResult.Refusal::reason)
                .contains("requests are under way though nobody sends any.");
    }

    @Test
    void refusesWhereTheNodeCountedNoRequest() throws Exception {
        assertRefused(
                (load, right) -> {
                    if (load.manner() == Manner.TIMED
                            && load.requests().operation() == Operation.GET) {
                        clusters.counts.merge(200, -100L, Long::sum);
                    }
                    return right;
                },
                "the node was to answer with 200, and it counts: none.");
    }

    @Test
    void refusesAKeyWithAnotherValue() throws Exception {
        clusters.change =
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
        clusters.change = _ -> new Probe.Answer(404, new byte[0]);
        assertRefused(
                (_, right) -> right,
                "a GET 1/1 of bench-100-00000000 was answered with status 404 and no value.");
    }

    @Test
    void refusesDeletesWithoutEffect() throws Exception {
        LoadGenerator generator = clusters::right;
        BenchResult result = clusters.benchmark(generator).run(only("one node, durable DELETE"));
        assertThat(result.refusals())
                .extracting(BenchResult.Refusal::reason)
                .containsExactly("all of 50 keys that were looked at are still there.");
    }

    @Test
    void refusesWhatIsComparedToNothing() throws Exception {
        BenchResult result =
                clusters.run(
                        only("one node, GET", "one node, GET, half rate"),
                        (_, right) ->
                                withAnswers(
                                        Results.result(0, 0, right.latency()), right.answers()));
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
    void refusesToMeasureAClusterThatIsNotFull() throws Exception {
        assertRefused(
                (_, right) -> withEveryKey(right, false),
                "PUT of all keys: not all of 50 were answered within 256 seconds.");
    }

    /** That one node's GET has no figure, and its static answer has one. */
    private void assertRefused(BiFunction<Load, LoadResult, LoadResult> change, String sentence)
            throws CommandException {
        BenchResult result = clusters.run(only("one node, GET"), change);
        assertThat(result.refusals())
                .containsExactly(new BenchResult.Refusal("one node, GET", sentence));
        assertThat(result.measurements())
                .extracting(Measurement::name)
                .containsExactly("one node, static");
        assertThat(clusters.events).last().isEqualTo("stop 1");
    }
}
