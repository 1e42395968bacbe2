package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FaultScheduleTest {

    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final Set<FaultKind> ALL = FaultKind.all();
    private static final long MINUTE = 60_000;

    private static List<Fault.Step> schedule(long seed, Set<FaultKind> kinds, long millis) {
        return FaultSchedule.random(new SplittableRandom(seed), NODES, kinds, millis);
    }

    @Test
    void theSameSeedBreaksTheSameThings() {
        assertThat(schedule(7, ALL, MINUTE)).isEqualTo(schedule(7, ALL, MINUTE)).isNotEmpty();
        assertThat(schedule(7, ALL, MINUTE)).isNotEqualTo(schedule(8, ALL, MINUTE));
    }

    @Test
    void everyFaultIsHealedBeforeTheEnd() {
        for (long seed = 0; seed < 200; seed++) {
            List<Fault> active = new ArrayList<>();
            long last = 0;
            for (Fault.Step step : schedule(seed, ALL, MINUTE)) {
                assertThat(step.millis()).isBetween(last, MINUTE);
                last = step.millis();
                Fault fault = step.fault();
                if (fault instanceof Fault.Cut cut && !step.begins()) {
                    assertThat(active.remove(cut)).isTrue();
                    continue;
                }
                if (!(fault instanceof Fault.Cut)) {
                    active.removeIf(fault::equals);
                }
                if (step.begins()) {
                    active.add(fault);
                }
                if (step.begins() && fault instanceof Fault.Kill(String node)) {
                    active.removeIf(new Fault.Pause(node)::equals);
                }
            }
            assertThat(active).as("seed %d", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill", "pause", "partition", "strangers", "kill,pause", "all"})
    void onlyWhatWasAskedForIsDone(String kinds) {
        Set<FaultKind> wanted = FaultKind.parse(kinds);
        assertThat(
                        LongStream.range(0, 50)
                                .boxed()
                                .flatMap(seed -> schedule(seed, wanted, MINUTE).stream())
                                .filter(Fault.Step::begins)
                                .map(step -> step.fault().kind()))
                .containsAll(wanted)
                .allMatch(wanted::contains);
    }

    @Test
    void noFaultsAreScheduledWithoutKinds() {
        assertThat(schedule(1, Set.of(), MINUTE)).isEmpty();
        assertThat(
                        FaultSchedule.random(
                                new SplittableRandom(1),
                                List.of("n1"),
                                EnumSet.of(FaultKind.PARTITION),
                                MINUTE))
                .isEmpty();
    }

    /** A node that goes down while another is on its way back, and a restart behind a cut. */
    @Test
    void theHardScenesOccur() {
        int secondBeforeFirstIsBack = 0;
        int killedWhilePaused = 0;
        int startedBehindACut = 0;
        for (long seed = 0; seed < 20; seed++) {
            Set<String> paused = new HashSet<>();
            List<Fault.Cut> cuts = new ArrayList<>();
            String started = "";
            long startedAt = -MINUTE;
            for (Fault.Step step : schedule(seed, ALL, MINUTE)) {
                boolean begins = step.begins();
                switch (step.fault()) {
                    case Fault.Kill(String node) when begins -> {
                        killedWhilePaused += paused.remove(node) ? 1 : 0;
                        boolean isSoon = step.millis() - startedAt < 1_500;
                        secondBeforeFirstIsBack += isSoon && !node.equals(started) ? 1 : 0;
                    }
                    case Fault.Kill(String node) -> {
                        started = node;
                        startedAt = step.millis();
                        startedBehindACut += cuts.isEmpty() ? 0 : 1;
                    }
                    case Fault.Pause(String node) when begins -> paused.add(node);
                    case Fault.Pause(String node) -> paused.remove(node);
                    case Fault.Strangers(_) -> {}
                    case Fault.Cut cut when begins -> cuts.add(cut);
                    case Fault.Cut cut -> cuts.remove(cut);
                }
            }
        }
        assertThat(secondBeforeFirstIsBack).isPositive();
        assertThat(killedWhilePaused).isPositive();
        assertThat(startedBehindACut).isPositive();
    }
}
