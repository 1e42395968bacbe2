package dev.quorate.loadtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.CommandException;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.LoadResult;
import dev.quorate.loadtest.profile.NodeProfiler;
import dev.quorate.loadtest.profile.NodeProfiler.ProfileKind;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Scenario;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which clusters a report starts, and what is sent to each before its first scenario. */
class ReportRunTest {

    private static final LoadPace PACE = new LoadPace(30, 1, 1, 6, 0, 1, 2, 1, 7);

    private final List<String> events = new ArrayList<>();

    private final class Clusters implements ReportRun.Means {

        @Override
        public ReportRun.RunningCluster start(int nodes) {
            events.add("start " + nodes);
            return new ReportRun.RunningCluster(
                    "http://localhost:1", Map.of(), () -> events.add("stop " + nodes));
        }

        @Override
        public LoadTarget target(ReportRun.RunningCluster cluster) {
            return new LoadTarget(cluster.url(), Load.Api.REPLICAS, 1_000);
        }

        @Override
        public String fillReplicas(Scenario scenario) {
            return scenario.nodes() + "/" + scenario.nodes();
        }

        @Override
        public NodeProfiler profiler(ProfileKind kind) throws CommandException {
            throw new CommandException("nothing is profiled here");
        }

        @Override
        public boolean canProfile() {
            return false;
        }
    }

    private LoadResult answer(Load load) {
        Load.Operation operation = load.requests().operation();
        if (load.manner() == Load.Manner.EVERY_KEY && operation == Load.Operation.PUT) {
            events.add("fill " + load.requests().replicas() + " " + load.requests().valueBytes());
        }
        if (operation == Load.Operation.MIXED) {
            events.add("warm for " + load.timing().seconds());
        }
        if (load.timing().warmUpSeconds() == 0 && load.timing().seconds() == 7) {
            events.add("from the start");
        }
        return Answers.to(load, 5_000, Answers.right(load));
    }

    private Report measure(List<Scenario> scenarios) throws CommandException {
        ReportDraft draft = new ReportDraft("title", Instant.EPOCH, Map.of(), scenarios, List.of());
        new ReportRun(new Clusters(), this::answer, PACE, new Limits(20, 0.5), draft, _ -> {})
                .measure(scenarios);
        return draft.report().orElseThrow();
    }

    private static Scenario named(String name) {
        return ScenarioSet.QUORUM.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachClusterIsFilledAndWarmBeforeItsFirstScenario() throws CommandException {
        Scenario three = ScenarioSet.QUORUM.quick().getFirst();
        Scenario one = ScenarioSet.ONE.quick().getFirst();
        assertThat(measure(List.of(three, one)).scenarios()).hasSize(2);
        assertThat(events)
                .containsExactly(
                        "start 3",
                        "fill 3/3 100",
                        "warm for 30",
                        "stop 3",
                        "start 1",
                        "fill 1/1 100",
                        "warm for 30",
                        "stop 1");
    }

    @Test
    void keysArePutForEachSizeOfValuesAndAgainAfterTheyAreDeleted() throws CommandException {
        measure(
                List.of(
                        named("quorum-put"),
                        named("quorum-delete"),
                        named("quorum-get-1mib"),
                        named("quorum-get")));
        assertThat(events)
                .containsExactly(
                        "start 3",
                        "fill 3/3 100",
                        "warm for 30",
                        "fill 3/3 1048576",
                        "fill 3/3 100",
                        "stop 3");
    }

    @Test
    void whatStartsFreshHasAClusterOfItsOwnAfterAllOthers() throws CommandException {
        measure(List.of(named("quorum-fresh"), named("quorum-growing"), named("quorum-get")));
        assertThat(events)
                .containsExactly(
                        "start 3",
                        "fill 3/3 100",
                        "warm for 30",
                        "stop 3",
                        "start 3",
                        "from the start",
                        "stop 3",
                        "start 3",
                        "from the start",
                        "stop 3");
    }

    @Test
    void theGeneratorIsWarmBeforeAFreshCluster() throws CommandException {
        measure(List.of(named("quorum-fresh")));
        assertThat(events)
                .containsExactly("start 3", "stop 3", "start 3", "from the start", "stop 3");
    }
}
