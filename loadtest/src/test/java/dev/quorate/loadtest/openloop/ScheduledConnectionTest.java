package dev.quorate.loadtest.openloop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import dev.quorate.loadtest.openloop.Worker.ScheduledConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScheduledConnectionTest {

    private final ScheduledConnection scheduled =
            new ScheduledConnection(
                    Load.unbounded(
                            "http://localhost",
                            Requests.of(Operation.GET, "2/3", 10, 100),
                            Clients.of(1),
                            Manner.TIMED,
                            1),
                    0);

    private List<Long> pausesOf(int failures) {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < failures; i++) {
            millis.add(TimeUnit.NANOSECONDS.toMillis(scheduled.failed()));
        }
        return millis;
    }

    @Test
    void aServerThatIsGoneIsNotHammered() {
        assertThat(pausesOf(6)).containsExactly(100L, 200L, 400L, 800L, 800L, 800L);
        scheduled.answered();
        assertThat(pausesOf(2)).containsExactly(100L, 200L);
    }

    @Test
    void whatWasUnderWayIsSentAgainUntilItIsAnswered() {
        scheduled.failed();
        assertThat(scheduled.isRepeated).isFalse();
        scheduled.state = ScheduledConnection.State.BUSY;
        scheduled.failed();
        scheduled.failed();
        assertThat(scheduled.isRepeated).isTrue();
        assertThat(scheduled.number).isZero();
        scheduled.answered();
        assertThat(scheduled.isRepeated).isFalse();
        assertThat(scheduled.number).isEqualTo(1);
    }
}
