package dev.quorate.router.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.runtime.EventLog;
import dev.quorate.router.runtime.ManualTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which failures open a breaker, as transcripts. */
class BreakerEvidenceTest {

    private final ManualTime time = new ManualTime();
    private final PeerWatch watch =
            new PeerWatch(
                    "n2",
                    new Breaker(Breaker.USUAL_FAILURES, time, new Random(1)),
                    time,
                    new EventLog(time));

    private void late(int times, long apartMillis) {
        for (int i = 0; i < times; i++) {
            watch.recordTimeout("no answer in time");
            time.advanceMillis(apartMillis);
        }
    }

    @Test
    void oneStallThatManyExchangesMeetIsNoDeath() {
        watch.answered();
        late(4, 10);
        assertThat(watch.mayAsk()).isTrue();
        assertThat(watch.standing()).isEqualTo(PeerStanding.UP);
        watch.answered();
        late(4, 10);
        assertThat(watch.mayAsk()).isTrue();
    }

    @Test
    void aPeerThatIsSilentForASecondAndLateThreeTimesIsDown() {
        late(2, 600);
        assertThat(watch.mayAsk()).isTrue();
        late(1, 0);
        assertThat(watch.mayAsk()).isFalse();
        assertThat(watch.standing()).isEqualTo(PeerStanding.DOWN);
        assertThat(watch.lastError()).isEqualTo("no answer in time");
    }

    @Test
    void aLatePeerThatSendsItsOwnExchangesIsUp() {
        for (int i = 0; i < 5; i++) {
            late(2, 600);
            watch.onMessage();
        }
        assertThat(watch.mayAsk()).isTrue();
    }

    /** As where nothing gets there, and all gets here. */
    @Test
    void aPeerThatNeverAnswersIsDownEvenIfItSendsExchanges() {
        for (int i = 0; i < 11; i++) {
            late(1, 600);
            watch.onMessage();
        }
        assertThat(watch.mayAsk()).isTrue();
        late(1, 600);
        assertThat(watch.mayAsk()).isFalse();
    }

    @Test
    void aConnectionThatIsRefusedIsEnough() {
        watch.answered();
        watch.unreachable("no connection to it");
        assertThat(watch.mayAsk()).isFalse();
        assertThat(watch.standing()).isEqualTo(PeerStanding.DOWN);
    }

    @Test
    void ofConnectionsThatAreResetThreeAre() {
        watch.answered();
        watch.failed("reset");
        watch.failed("reset");
        assertThat(watch.mayAsk()).isTrue();
        watch.failed("reset");
        assertThat(watch.mayAsk()).isFalse();
    }

    @Test
    void aProbeThatIsLateFindsItDownAndOneThatIsAnsweredUp() {
        watch.unreachable("no connection to it");
        time.advanceMillis(100);
        assertThat(watch.takeProbe()).isTrue();
        watch.recordTimeout("no answer in time");
        assertThat(watch.mayAsk()).isFalse();
        assertThat(watch.takeProbe()).isFalse();
        watch.onMessage();
        assertThat(watch.takeProbe()).as("at once").isTrue();
        watch.answered();
        assertThat(watch.mayAsk()).isTrue();
    }

    @Test
    void aPeerThatIsOnlyLateIsSuspectedForAWhile() {
        late(2, 600);
        assertThat(watch.isSuspected()).as("not given up").isFalse();
        late(1, 8_000);
        assertThat(watch.isSuspected()).isTrue();
        time.advanceMillis(1_000);
        assertThat(watch.isSuspected()).as("silent for 10.2 s").isFalse();
        watch.onMessage();
        assertThat(watch.isSuspected()).isTrue();
        watch.answered();
        assertThat(watch.isSuspected()).isFalse();
    }

    @Test
    void aPeerWithOtherFailuresIsNotSuspected() {
        watch.unreachable("no connection to it");
        assertThat(watch.isSuspected()).isFalse();
        watch.answered();
        late(3, 600);
        assertThat(watch.isSuspected()).isTrue();
        watch.refused("another secret");
        assertThat(watch.isSuspected()).isFalse();
        watch.answered();
        late(3, 600);
        watch.failed("reset");
        assertThat(watch.isSuspected()).isFalse();
    }
}
