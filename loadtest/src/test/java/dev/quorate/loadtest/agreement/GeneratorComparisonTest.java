package dev.quorate.loadtest.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.loadtest.agreement.GeneratorComparison.Named;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.load.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GeneratorComparisonTest {

    private static final AgreementPlan PLAN =
            new AgreementPlan(50, new Load.Clients(3, 8), 100, 4, 5, 2);

    private final List<String> events = new ArrayList<>();
    private final List<String> progress = new ArrayList<>();

    private LoadResult generate(String name, Load load, double millis) {
        Load.Timing timing = load.timing();
        assertThat(timing.rate()).isEqualTo(100);
        assertThat(load.clients()).isEqualTo(new Load.Clients(3, 8));
        events.add(
                "%s %s %s %d+%d s"
                        .formatted(
                                name,
                                load.manner(),
                                load.requests().operation(),
                                timing.warmUpSeconds(),
                                timing.seconds()));
        Map<Integer, Long> answers =
                load.requests().operation().expectedStatuses().stream()
                        .collect(Collectors.toMap(status -> status, _ -> 500L));
        return Results.withAnswers(
                Results.result(
                        500,
                        100,
                        Results.spectrum(500, millis, millis * 2, millis * 3, millis * 4)),
                answers,
                0,
                false);
    }

    private List<Agreement> run() throws Exception {
        return new GeneratorComparison(
                        new Named("one", load -> generate("one", load, 1)),
                        new Named("two", load -> generate("two", load, 3)),
                        progress::add)
                .run(PLAN, "http://n1");
    }

    @Test
    void eachLoadIsWarmedUpAndThenSentByBothByTurns() throws Exception {
        List<Agreement> agreements = run();
        assertThat(events)
                .hasSize(15)
                .startsWith(
                        "two CHECKED STATIC 0+4 s",
                        "one TIMED STATIC 4+5 s",
                        "two TIMED STATIC 4+5 s",
                        "one TIMED STATIC 4+5 s",
                        "two TIMED STATIC 4+5 s",
                        "two CHECKED GET 0+4 s")
                .endsWith("two TIMED PUT 4+5 s");
        assertThat(agreements)
                .extracting(Agreement::name)
                .hasSize(12)
                .startsWith("static, p50", "static, p90", "static, p99", "static, p99.9")
                .endsWith("PUT 2/3, p99.9");
        Agreement p99 = agreements.get(2);
        assertThat(p99.reference().sorted()).containsExactly(2.0, 2.0);
        assertThat(p99.other().sorted()).containsExactly(6.0, 6.0);
        assertThat(progress)
                .hasSize(12)
                .first()
                .isEqualTo(
                        "static, one: 100 requests/s, p50 1.00, p90 2.00, p99 2.00, p99.9 3.00, max"
                                + " 4.0 ms");
    }

    @Test
    void aWrongAnswerAndThereAreNoFigures() {
        GeneratorComparison comparison =
                new GeneratorComparison(
                        new Named(
                                "one", load -> Results.withErrors(generate("one", load, 1), 1, 0)),
                        new Named("two", load -> generate("two", load, 1)),
                        progress::add);
        assertThatExceptionOfType(RefusedFigureException.class)
                .isThrownBy(() -> comparison.run(PLAN, "http://n1"));
        assertThat(events).hasSize(2);
    }
}
