package dev.quorate.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.bench.BenchPlan.ClusterPlan;
import dev.quorate.loadtest.bench.BenchPlan.Pace;
import dev.quorate.loadtest.load.Load.Operation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandardPlanTest {

    private static final BenchPlan BASE =
            new StandardPlan(64, 100, false, true).plan(List.of(1, 3), BenchPlan.QUICK, 10_000);

    private static final BenchPlan ALL =
            new StandardPlan(64, 100, true, true).plan(List.of(1, 3), BenchPlan.THOROUGH, 100_000);

    private static List<String> names(BenchPlan plan) {
        return plan.cases().stream().map(BenchCase::name).toList();
    }

    private static BenchPlan only(String name) {
        return ALL.only(each -> each.name().equals(name));
    }

    @Test
    void hasEveryOperationAndEveryReplicas() {
        assertThat(names(BASE))
                .containsExactly(
                        "one node, static",
                        "one node, GET",
                        "one node, GET absent",
                        "one node, GET and PUT",
                        "one node, durable PUT",
                        "one node, durable DELETE",
                        "three nodes, static",
                        "three nodes, GET 1/1",
                        "three nodes, GET 2/3",
                        "three nodes, GET 3/3",
                        "three nodes, GET absent 2/3",
                        "three nodes, GET and PUT 2/3",
                        "three nodes, durable PUT 1/1",
                        "three nodes, durable PUT 2/3",
                        "three nodes, durable PUT 3/3",
                        "three nodes, durable DELETE 2/3");
    }

    @Test
    void variesOneThingAtATime() {
        assertThat(names(ALL))
                .startsWith(names(BASE).subList(0, 5).toArray(String[]::new))
                .contains(
                        "one node, GET, 256 connections",
                        "one node, durable PUT, 64 KiB",
                        "three nodes, static, 1,024 connections",
                        "three nodes, GET 2/3, 1 KiB",
                        "three nodes, durable PUT 2/3, 10,000/s",
                        "three nodes, GET 2/3, half rate")
                .doesNotHaveDuplicates()
                .contains("one node, GET, 1 MiB", "three nodes, durable PUT 2/3, 1 MiB")
                .hasSize(16 + 2 * (8 * 3 + 2));
        for (BenchCase each : ALL.cases()) {
            int varied =
                    (each.connections() == 64 ? 0 : 1)
                            + (each.valueBytes() == 100 ? 0 : 1)
                            + (each.rate() == Rate.HIGHEST ? 0 : 1);
            assertThat(varied).as(each.name()).isEqualTo(each.name().split(", ", 3).length - 2);
        }
    }

    @Test
    void hasNoRatesWithoutWrk2() {
        BenchPlan plan =
                new StandardPlan(64, 100, true, false).plan(List.of(3), BenchPlan.QUICK, 10);
        assertThat(plan.cases()).allMatch(each -> each.rate() == Rate.HIGHEST).hasSize(10 + 20);
    }

    @Test
    void doesNotVaryWhatIsTheBaseAlready() {
        BenchPlan plan =
                new StandardPlan(256, 1_024, true, false).plan(List.of(1), BenchPlan.QUICK, 10);
        assertThat(names(plan))
                .doesNotHaveDuplicates()
                .contains("one node, GET, 1,024 connections", "one node, GET, 64 KiB")
                .doesNotContain("one node, GET, 256 connections", "one node, GET, 1 KiB");
    }

    @Test
    void asksForNoMoreReplicasThanThereAreNodes() {
        BenchPlan plan =
                new StandardPlan(64, 100, false, false).plan(List.of(2, 5, 2), BenchPlan.QUICK, 10);
        assertThat(names(plan))
                .doesNotHaveDuplicates()
                .contains("two nodes, GET 2/2", "two nodes, durable DELETE 2/2")
                .contains("five nodes, GET 3/3")
                .doesNotContain("two nodes, GET 3/3", "two nodes, GET 2/3");
    }

    @Test
    void aSelectedCaseIncludesItsReference() {
        assertThat(names(only("three nodes, durable PUT 2/3, half rate")))
                .containsExactly(
                        "three nodes, static",
                        "three nodes, durable PUT 2/3",
                        "three nodes, static, half rate",
                        "three nodes, durable PUT 2/3, half rate");
        assertThat(names(only("one node, GET, 64 KiB")))
                .containsExactly("one node, static, 64 KiB", "one node, GET, 64 KiB");
        assertThat(names(only("one node, GET, 1 MiB")))
                .as("the longest static answer")
                .containsExactly("one node, static, 64 KiB", "one node, GET, 1 MiB");
        assertThat(only("no such case").clusters()).isEmpty();
    }

    @Test
    void refusesACaseBeforeWhatItIsComparedTo() {
        BenchCase get = new BenchCase("GET", Operation.GET, "1/1", 64, 100, Rate.HIGHEST);
        BenchCase half = new BenchCase("static", Operation.STATIC, "1/1", 64, 100, Rate.HALF);
        for (List<BenchCase> cases : List.of(List.of(get), List.of(half))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new ClusterPlan("one node", 1, cases));
        }
    }

    @Test
    void quickIsOverInThreeMinutes() {
        assertThat(BASE.expected()).isBetween(Duration.ofSeconds(120), Duration.ofSeconds(175));
    }

    @Test
    void countsAllThatTakesTime() {
        Pace pace = new Pace(2, 10, 3, 0);
        BenchPlan one = new StandardPlan(64, 100, false, true).plan(List.of(1), pace, 10);
        BenchPlan get = one.only(each -> each.name().equals("one node, GET"));
        // A start, keys, two cases of four programs.
        assertThat(get.expected()).isEqualTo(Duration.ofSeconds(5 + 6 + 2 * (2 + 3 * 10 + 1)));
        Pace besides = new Pace(2, 10, 3, 4);
        BenchPlan beside = new StandardPlan(64, 100, false, true).plan(List.of(1), besides, 10);
        // Three more programs, but not for the static answer itself.
        assertThat(beside.only(each -> each.name().equals("one node, GET")).expected())
                .isEqualTo(get.expected().plusMillis(3 * 4_250));
        BenchPlan all = new StandardPlan(64, 100, true, true).plan(List.of(1), pace, 10);
        BenchPlan rate = all.only(each -> each.name().equals("one node, static, 10,000/s"));
        // wrk2 takes eleven seconds before it counts.
        assertThat(rate.expected()).isEqualTo(Duration.ofSeconds(5 + 2 + 3 * (10 + 11) + 1));
    }

    @Test
    void boundsTheBytesOfAllValues() {
        assertThat(ALL.keys(100)).isEqualTo(100_000);
        assertThat(ALL.keys(1_024)).isEqualTo(100_000);
        assertThat(ALL.keys(65_536)).isEqualTo(2_048);
        assertThat(ALL.keys(0)).isEqualTo(100_000);
    }
}
