package dev.quorate.loadtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadGenerator;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult;
import dev.quorate.loadtest.report.ScenarioResult.BreakingPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is sent in a scenario, and what is made of it. No time passes. */
class ScenarioRunnerTest {

    private static final int BREAKS_ABOVE = 5_000;
    private static final LoadPace PACE = new LoadPace(30, 1, 1, 6, 0, 1, 2, 1, 7);

    private final List<Load> sent = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private LoadResult answer(Load load, Map<Integer, Long> statuses) {
        sent.add(load);
        return Answers.to(load, BREAKS_ABOVE, statuses);
    }

    private ScenarioRunner runner(LoadGenerator generator) {
        return new ScenarioRunner(
                generator,
                new LoadTarget("http://localhost:1", Load.Api.REPLICAS, 1_000),
                PACE,
                new Limits(20, 0.5),
                told::add);
    }

    private static Scenario put() {
        return ScenarioSet.QUORUM.quick().getFirst();
    }

    @Test
    void runsAtItsShareOfTheBreakingPoint() throws CommandException {
        ScenarioResult result = runner(load -> answer(load, Answers.right(load))).run(put());
        BreakingPoint found = Objects.requireNonNull(result.breakingPoint());
        assertThat(found.perSecond()).isBetween(4_500.0, 5_000.0);
        assertThat(found.steps()).extracting(BreakingPoint.Step::held).contains(true);
        assertThat(result.askedPerSecond()).isEqualTo(Math.floor(found.perSecond() / 2));
        assertThat(result.runs()).hasSize(2);
        assertThat(result.runs()).allMatch(run -> run.latency().millis(0.99) < 2);
        assertThat(result.runs().getFirst().overTime())
                .extracting(LoadResult.Second::answers)
                .containsExactly(1_000L);
        assertThat(result.staticRuns()).hasSize(2);
    }

    @Test
    void aYoungClusterIsAskedForBothReadsAndWrites() throws CommandException {
        runner(load -> answer(load, Map.of(200, 500L, 201, 500L))).warmUp(put());
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().requests().operation()).isEqualTo(Load.Operation.MIXED);
        assertThat(sent.getFirst().timing().seconds()).isEqualTo(30);
    }

    @Test
    void warmsUpByLookingAtEveryAnswerAndNeverPutsTheSameNewKeysTwice() throws CommandException {
        var _ = runner(load -> answer(load, Answers.right(load))).run(put());
        assertThat(sent.getFirst().manner()).isEqualTo(Load.Manner.CHECKED);
        assertThat(sent.subList(1, sent.size())).allMatch(l -> l.manner() == Load.Manner.TIMED);
        assertThat(sent).extracting(load -> load.requests().series()).doesNotHaveDuplicates();
    }

    @Test
    void aRangeHasNoRateAndNoBreakingPoint() throws CommandException {
        ScenarioResult result =
                runner(load -> answer(load, Answers.right(load))).run(named("quorum-range"));
        assertThat(result.breakingPoint()).isNull();
        assertThat(result.askedPerSecond()).isZero();
        assertThat(result.runs()).isNotEmpty();
        assertThat(sent).allMatch(load -> load.timing().rate() == 0);
    }

    @Test
    void oneWrongAnswerInARunThatCountsAndThereAreNoFigures() throws CommandException {
        LoadGenerator wrongAtTheEnd =
                load ->
                        answer(
                                load,
                                isStatic(load)
                                                || sent.stream()
                                                        .noneMatch(ScenarioRunnerTest::isStatic)
                                        ? Answers.right(load)
                                        : Map.of(201, 999L, 504, 1L));
        ScenarioResult result = runner(wrongAtTheEnd).run(put());
        assertThat(result.runs()).isEmpty();
        assertThat(result.refusal()).contains("504");
        assertThat(told).last().asString().contains("no figures");
    }

    @Test
    void noRateThatHoldsMeansNoFigures() throws CommandException {
        LoadGenerator slow =
                load ->
                        load.timing().rate() == 0
                                ? answer(load, Answers.right(load))
                                : answer(load, Map.of(503, 1_000L));
        ScenarioResult result = runner(slow).run(put());
        assertThat(result.refusal()).startsWith("no rate held, down to ");
    }

    private static boolean isStatic(Load load) {
        return load.requests().operation() == Load.Operation.STATIC;
    }

    private static Scenario named(String name) {
        return ScenarioSet.QUORUM.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aFreshClusterIsSentOneLoadAndMayRefuseSomeOfIt() throws CommandException {
        Map<Integer, Long> some = Map.of(201, 900L, 503, 60L, 504, 40L);
        ScenarioResult result = runner(load -> answer(load, some)).run(named("quorum-fresh"));
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().timing()).isEqualTo(new Load.Timing(0, 7, 0));
        assertThat(result.runs()).hasSize(1);
        assertThat(result.runs().getFirst().answers()).isEqualTo(some);
        assertThat(result.staticRuns()).isEmpty();
        assertThat(
                        runner(load -> answer(load, Map.of(201, 999L, 500, 1L)))
                                .run(named("quorum-fresh"))
                                .refusal())
                .contains("1 with 500");
    }

    @Test
    void largeValuesMayWaitForMemoryInVain() throws CommandException {
        ScenarioResult result =
                runner(
                                load ->
                                        answer(
                                                load,
                                                load.requests().operation() == Load.Operation.STATIC
                                                        ? Map.of(200, 1_000L)
                                                        : Map.of(201, 900L, 503, 100L)))
                        .run(named("quorum-put-16mib"));
        assertThat(result.runs()).hasSize(2);
        assertThat(sent)
                .extracting(load -> load.requests().valueBytes())
                .containsOnly(16 << 20, 1 << 16);
        assertThat(sent.getFirst().requests().keys()).isEqualTo(8);
        assertThat(runner(load -> answer(load, Map.of(201, 1L, 503, 1L))).run(put()).refusal())
                .contains("503");
    }
}
