package dev.quorate.router.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ManualTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a node reports of a peer. */
final class PeerWatchTest {

    private final ManualTime time = new ManualTime();
    private final EventLog events = new EventLog(time);
    private final PeerWatch watch =
            new PeerWatch(
                    "n3", new Breaker(Breaker.USUAL_FAILURES, time, new Random(1)), time, events);

    private List<String> reported() {
        return events.since(0).stream().map(event -> event.level() + " " + event.text()).toList();
    }

    @Test
    void aPeerThatWasAwayIsReportedOnceAndWhenItIsBack() {
        watch.answered();
        watch.answered();
        watch.unreachable("connection refused");
        watch.unreachable("connection refused");
        time.advanceMillis(125_000);
        watch.answered();
        watch.answered();
        assertThat(reported())
                .containsExactly(
                        "INFO n3 is up",
                        "WARN n3 is down: connection refused",
                        "INFO n3 is up again, after 2 min 5 s");
    }

    @Test
    void membersThatRefuseEachOtherAreAnError() {
        watch.refused("another secret?");
        watch.refused("another secret?");
        watch.refused("another topology?");
        assertThat(reported())
                .containsExactly(
                        "ERROR n3 and this node refuse each other: another secret?",
                        "ERROR n3 and this node refuse each other: another topology?");
    }
}
