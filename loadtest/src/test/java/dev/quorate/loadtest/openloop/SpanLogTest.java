package dev.quorate.loadtest.openloop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Span;
import org.junit.jupiter.api.Test;

class SpanLogTest {

    private final SpanLog log = new SpanLog();

    @Test
    void spansComeBackInOrderAsTimesSinceTheEpoch() {
        log.add(5, 9);
        log.add(-3, 4);
        assertThat(log.since(1_000)).containsExactly(new Span(1_005, 1_009), new Span(997, 1_004));
    }

    @Test
    void whatComesWhenItIsFullIsCounted() {
        for (int i = 0; i < SpanLog.MAX_SPANS + 7; i++) {
            log.add(i, i + 1);
        }
        assertThat(log.since(0))
                .hasSize(SpanLog.MAX_SPANS)
                .last()
                .isEqualTo(new Span(SpanLog.MAX_SPANS - 1, SpanLog.MAX_SPANS));
        assertThat(log.left()).isEqualTo(7);
    }
}
