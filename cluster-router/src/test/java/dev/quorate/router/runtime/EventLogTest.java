package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;

/** What the log keeps, and what a reader gets of it. */
final class EventLogTest {

    private static final long STARTED = 1_700_000_000_000L;

    private final EventLog log = startedAt(STARTED);

    private static EventLog startedAt(long millis) {
        return new EventLog(new ManualTime(millis));
    }

    @Test
    void aReaderGetsWhatCameAfterItsLastEvent() {
        log.info("one");
        long seen = log.last();
        log.error("two");
        assertThat(log.since(0)).hasSize(2);
        assertThat(log.since(seen))
                .containsExactly(new EventLog.Event(seen + 1, STARTED, Level.ERROR, "two"));
        assertThat(log.since(seen + 1)).isEmpty();
    }

    @Test
    void aReaderOfAnEarlierProcessGetsAll() {
        log.info("one");
        EventLog next = startedAt(STARTED + 1);
        next.info("two");
        assertThat(next.since(log.last())).hasSize(1);
        EventLog clockSetBack = startedAt(STARTED - 1_000);
        clockSetBack.info("three");
        assertThat(clockSetBack.since(log.last())).hasSize(1);
    }

    @Test
    void anErrorOfTheLoggingLibraryReachesNobody() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        TurboFilter missing =
                new TurboFilter() {
                    @Override
                    public FilterReply decide(
                            Marker marker,
                            Logger from,
                            ch.qos.logback.classic.Level level,
                            String format,
                            Object[] params,
                            Throwable cause) {
                        if (from.getName().equals("events")) {
                            throw new NoSuchMethodError("atLevel");
                        }
                        return FilterReply.NEUTRAL;
                    }
                };
        context.addTurboFilter(missing);
        try {
            log.warn("one");
        } finally {
            context.getTurboFilterList().remove(missing);
        }
        assertThat(log.since(0)).hasSize(1);
    }

    @Test
    void theOldestEventsAreDropped() {
        for (int i = 1; i <= EventLog.MAX_EVENTS + 5; i++) {
            log.warn("event " + i);
        }
        assertThat(log.since(0)).hasSize(EventLog.MAX_EVENTS);
        assertThat(log.since(0).getFirst().text()).isEqualTo("event 6");
    }

    @Test
    void aLongTextIsCut() {
        log.warn("x".repeat(10_000));
        assertThat(log.since(0).getFirst().text()).hasSize(EventLog.MAX_CHARS).endsWith("xxx...");
    }

    @Test
    void durationsAreReadable() {
        assertThat(EventLog.span(-1)).isEqualTo("0.0 s");
        assertThat(EventLog.span(1_949)).isEqualTo("1.9 s");
        assertThat(EventLog.span(9_999)).isEqualTo("9 s");
        assertThat(EventLog.span(125_000)).isEqualTo("2 min 5 s");
    }
}
