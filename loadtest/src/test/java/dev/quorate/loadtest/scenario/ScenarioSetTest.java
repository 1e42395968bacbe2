package dev.quorate.loadtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.report.Scenario;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every set of scenarios has to be. */
class ScenarioSetTest {

    @ParameterizedTest
    @EnumSource
    void namesAndTitlesAreOfOneScenarioEach(ScenarioSet set) {
        List<Scenario> all = set.all();
        assertThat(all).extracting(Scenario::name).doesNotHaveDuplicates();
        assertThat(all).extracting(Scenario::title).doesNotHaveDuplicates();
        assertThat(all).extracting(Scenario::name).allMatch(name -> name.matches("[a-z0-9-]+"));
        assertThat(all).containsAll(set.quick());
        assertThat(set.quick()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void noneAsksMoreReplicasThanThereAreNodes(ScenarioSet set) {
        assertThat(set.all())
                .allMatch(each -> each.replicas().charAt(2) - '0' <= each.nodes())
                .allMatch(each -> each.replicas().charAt(0) <= each.replicas().charAt(2));
    }

    @ParameterizedTest
    @EnumSource
    void aReportIsThereInHalfAnHourAndAQuickOneInThreeMinutes(ScenarioSet set) {
        assertThat(length(set.all(), LoadPace.FULL)).isLessThan(Duration.ofMinutes(25));
        assertThat(length(set.quick(), LoadPace.QUICK)).isLessThan(Duration.ofSeconds(150));
    }

    private static Duration length(List<Scenario> scenarios, LoadPace pace) {
        return scenarios.stream()
                .map(each -> pace.expected(each, true))
                .reduce(Duration.ZERO, Duration::plus);
    }
}
