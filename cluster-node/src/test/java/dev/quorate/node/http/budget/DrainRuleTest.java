package dev.quorate.node.http.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.http.budget.DrainRule.Connection;
import dev.quorate.node.http.budget.DrainRule.Step;
import dev.quorate.node.http.budget.DrainRule.Use;
import dev.quorate.router.runtime.ManualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a listener that is to close does so, as transcripts of manual time. */
final class DrainRuleTest {

    private final ManualTime time = new ManualTime();
    private final List<Connection> connections = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();

    /** Drains for a time, and gives the steps that are not to wait, with their milliseconds. */
    private List<String> drainFor(long millis) {
        long begun = time.nanos();
        DrainRule rule = new DrainRule(begun);
        for (long passed = 0; passed < millis; passed += DrainRule.TICK.toMillis()) {
            time.advance(DrainRule.TICK);
            Step step = rule.next(time.nanos(), connections);
            if (step != Step.WAIT) {
                steps.add((time.nanos() - begun) / 1_000_000 + " " + step);
            }
            if (step == Step.CLOSE) {
                break;
            }
        }
        return steps;
    }

    private Connection known(Use use) {
        return new Connection(false, use, time.nanos());
    }

    @Test
    void withoutConnectionsItClosesAtOnce() {
        assertThat(drainFor(10_000)).containsExactly("50 STOP_ACCEPTING", "100 CLOSE");
    }

    @Test
    void oneThatWasIdleForLongHasAMoment() {
        connections.add(known(Use.OPEN));
        time.advanceMillis(60_000);
        assertThat(drainFor(10_000)).containsExactly("200 STOP_ACCEPTING", "250 CLOSE");
    }

    /** It was used up to half a second after the time that is known: between two sweeps. */
    @Test
    void oneThatWasUsedLatelyMayBeUsedAgain() {
        connections.add(known(Use.OPEN));
        time.advanceMillis(300);
        assertThat(drainFor(10_000)).containsExactly("1200 STOP_ACCEPTING", "1250 CLOSE");
    }

    @Test
    void oneThatIsUsedMeanwhileHasASecondFromThenOn() {
        time.advanceMillis(1);
        long begun = time.nanos();
        connections.add(new Connection(false, Use.OPEN, begun + 400_000_000));
        assertThat(drainFor(10_000)).containsExactly("1400 STOP_ACCEPTING", "1450 CLOSE");
    }

    @Test
    void aRequestInFlightIsAwaitedHoweverLongItTakes() {
        connections.add(known(Use.ANSWERING));
        connections.add(known(Use.ENDED));
        assertThat(drainFor(60_000)).isEmpty();
    }

    @Test
    void oneThatHasSentItsLastAnswerIsNotAwaited() {
        connections.add(known(Use.ENDED));
        assertThat(drainFor(10_000)).containsExactly("50 STOP_ACCEPTING", "100 CLOSE");
    }

    @Test
    void lateOnesAreServedButThePortClosesBeforeTheyAreAwaited() {
        time.advanceMillis(1);
        long begun = time.nanos();
        connections.add(new Connection(true, Use.OPEN, begun + 20_000_000));
        assertThat(drainFor(10_000)).containsExactly("50 STOP_ACCEPTING", "1050 CLOSE");
    }

    @Test
    void aLateRequestInFlightIsAwaitedOnceThePortIsClosed() {
        connections.add(new Connection(true, Use.ANSWERING, time.nanos()));
        assertThat(drainFor(10_000)).containsExactly("50 STOP_ACCEPTING");
    }
}
