package dev.quorate.node.events;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the log keeps, and what a reader gets of it. */
final class EventLogTest {

    private static final long STARTED = 1_700_000_000_000L;

    private final EventLog log = new EventLog(STARTED);

    private static Happening happening(int number) {
        return Happening.here(STARTED, EventKind.SERVING, "event " + number);
    }

    @Test
    void aReaderGetsWhatCameAfterItsLastEvent() {
        log.add(happening(1));
        long seen = log.last();
        log.add(happening(2));
        assertThat(log.since(0)).hasSize(2);
        assertThat(log.since(seen)).containsExactly(new Event(seen + 1, happening(2)));
        assertThat(log.since(seen + 1)).isEmpty();
    }

    @Test
    void aReaderOfAnEarlierProcessGetsAll() {
        log.add(happening(1));
        EventLog next = new EventLog(STARTED + 1);
        next.add(happening(2));
        assertThat(next.since(log.last())).hasSize(1);
        EventLog clockSetBack = new EventLog(STARTED - 1_000);
        clockSetBack.add(happening(3));
        assertThat(clockSetBack.since(log.last())).hasSize(1);
    }

    @Test
    void theOldestEventsAreDropped() {
        for (int i = 1; i <= EventLog.MAX_EVENTS + 5; i++) {
            log.add(happening(i));
        }
        assertThat(log.since(0)).hasSize(EventLog.MAX_EVENTS);
        assertThat(log.since(0).getFirst().happening()).isEqualTo(happening(6));
    }
}
