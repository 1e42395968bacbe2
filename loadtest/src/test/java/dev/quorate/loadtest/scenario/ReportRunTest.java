package dev.quorate.loadtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.NodeProcess;
import dev.quorate.loadtest.bench.Profiler;
import dev.quorate.loadtest.bench.RunningCluster;
import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.profile.ProfileKind;
import dev.quorate.loadtest.report.Circumstances;
import dev.quorate.loadtest.report.Report;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which clusters a report starts, and what is sent to each before its first scenario. */
class ReportRunTest {

    private static final LoadPace PACE = new LoadPace(30, 1, 1, 6, 0, 1, 2, 1);

    private final List<String> events = new ArrayList<>();

    private final class Clusters implements ReportRun.Means {

        @Override
        public RunningCluster start(int nodes) {
            events.add("start " + nodes);
            return new RunningCluster() {
                @Override
                public String url() {
                    return "http://localhost:1";
                }

                @Override
                public List<NodeProcess> nodes() {
                    return List.of();
                }

                @Override
                public void close() {
                    events.add("stop " + nodes);
                }
            };
        }

        @Override
        public LoadTarget fill(RunningCluster cluster, Scenario first) {
            events.add("fill for " + first.name());
            return new LoadTarget(cluster.url(), Load.Api.REPLICAS, 1_000);
        }

        @Override
        public Profiler profiler(ProfileKind kind) {
            return Profiler.NONE;
        }

        @Override
        public boolean canProfile() {
            return false;
        }

        @Override
        public Path profiles() {
            return Path.of(".");
        }
    }

    @Test
    void eachClusterIsFilledAndWarmBeforeItsFirstScenario() throws CommandException {
        Scenario three = ScenarioSet.QUORUM.quick().getFirst();
        Scenario one = ScenarioSet.ONE.quick().getFirst();
        List<Scenario> scenarios = List.of(three, one);
        ReportDraft draft =
                new ReportDraft(
                        "title",
                        Instant.EPOCH,
                        () -> new Circumstances(Map.of()),
                        scenarios,
                        List.of());
        List<Load> sent = new ArrayList<>();
        new ReportRun(
                        new Clusters(),
                        load -> {
                            sent.add(load);
                            if (load.requests().operation() == Load.Operation.MIXED) {
                                events.add("warm for " + load.timing().seconds());
                            }
                            return Answers.to(load, 5_000, Answers.right(load));
                        },
                        PACE,
                        new Limits(20, 0.5),
                        draft,
                        (_, _, _) -> {},
                        _ -> {})
                .measure(scenarios);
        assertThat(events)
                .containsExactly(
                        "start 3",
                        "fill for " + three.name(),
                        "warm for 30",
                        "stop 3",
                        "start 1",
                        "fill for " + one.name(),
                        "warm for 30",
                        "stop 1");
        assertThat(sent.getFirst().requests().operation()).isEqualTo(Load.Operation.MIXED);
        Report report = draft.report().orElseThrow();
        assertThat(report.scenarios()).hasSize(2);
    }
}
