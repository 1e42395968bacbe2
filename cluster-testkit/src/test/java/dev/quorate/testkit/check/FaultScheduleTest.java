package dev.quorate.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.check.FaultStep.Timed;
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

    private static List<Timed> schedule(long seed, Set<FaultKind> kinds, long millis) {
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
            Set<String> down = new HashSet<>();
            Set<String> paused = new HashSet<>();
            Set<String> crowded = new HashSet<>();
            List<Cut> cuts = new ArrayList<>();
            long last = 0;
            for (Timed timed : schedule(seed, ALL, MINUTE)) {
                assertThat(timed.millis()).isBetween(last, MINUTE);
                last = timed.millis();
                switch (timed.step()) {
                    case FaultStep.Kill(String node) -> {
                        down.add(node);
                        paused.remove(node);
                    }
                    case FaultStep.Start(String node) -> down.remove(node);
                    case FaultStep.Pause(String node) -> paused.add(node);
                    case FaultStep.Resume(String node) -> paused.remove(node);
                    case FaultStep.Gather(String node) -> crowded.add(node);
                    case FaultStep.Disperse(String node) -> crowded.remove(node);
                    case FaultStep.CutLinks(Cut cut) -> cuts.add(cut);
                    case FaultStep.HealLinks(Cut cut) -> assertThat(cuts.remove(cut)).isTrue();
                }
            }
            assertThat(down).as("down, seed %d", seed).isEmpty();
            assertThat(paused).as("paused, seed %d", seed).isEmpty();
            assertThat(crowded).as("strangers, seed %d", seed).isEmpty();
            assertThat(cuts).as("cut, seed %d", seed).isEmpty();
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
                                .flatMap(timed -> kind(timed.step()).stream()))
                .containsAll(wanted)
                .allMatch(wanted::contains);
    }

    private static Set<FaultKind> kind(FaultStep step) {
        return switch (step) {
            case FaultStep.Kill(_) -> Set.of(FaultKind.KILL);
            case FaultStep.Pause(_) -> Set.of(FaultKind.PAUSE);
            case FaultStep.CutLinks(_) -> Set.of(FaultKind.PARTITION);
            case FaultStep.Gather(_) -> Set.of(FaultKind.STRANGERS);
            case FaultStep.Start(_),
                    FaultStep.Disperse(_),
                    FaultStep.Resume(_),
                    FaultStep.HealLinks(_) ->
                    Set.of();
        };
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
            List<Cut> cuts = new ArrayList<>();
            String started = "";
            long startedAt = -MINUTE;
            for (Timed timed : schedule(seed, ALL, MINUTE)) {
                switch (timed.step()) {
                    case FaultStep.Kill(String node) -> {
                        killedWhilePaused += paused.remove(node) ? 1 : 0;
                        boolean isSoon = timed.millis() - startedAt < 1_500;
                        secondBeforeFirstIsBack += isSoon && !node.equals(started) ? 1 : 0;
                    }
                    case FaultStep.Start(String node) -> {
                        started = node;
                        startedAt = timed.millis();
                        startedBehindACut += cuts.isEmpty() ? 0 : 1;
                    }
                    case FaultStep.Pause(String node) -> paused.add(node);
                    case FaultStep.Resume(String node) -> paused.remove(node);
                    case FaultStep.Gather(_), FaultStep.Disperse(_) -> {}
                    case FaultStep.CutLinks(Cut cut) -> cuts.add(cut);
                    case FaultStep.HealLinks(Cut cut) -> cuts.remove(cut);
                }
            }
        }
        assertThat(secondBeforeFirstIsBack).isPositive();
        assertThat(killedWhilePaused).isPositive();
        assertThat(startedBehindACut).isPositive();
    }
}
