package dev.quorate.loadtest.late;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

class MomentTest {

    @Test
    void requestsThatWaitAtTheSameTimeAreOneMoment() {
        assertThat(Moment.of(List.of(new Span(10, 20), new Span(15, 40), new Span(39, 45))))
                .containsExactly(new Moment(new Span(10, 45), 3, 25));
    }

    @Test
    void aRequestThatIsDueWhenTheLastIsAnsweredBeginsAnother() {
        assertThat(Moment.of(List.of(new Span(10, 20), new Span(20, 30))))
                .containsExactly(
                        new Moment(new Span(10, 20), 1, 10), new Moment(new Span(20, 30), 1, 10));
    }

    @Test
    void theOrderInWhichThreadsReportThemDoesNotMatter() {
        assertThat(Moment.of(List.of(new Span(50, 60), new Span(10, 100), new Span(70, 80))))
                .containsExactly(new Moment(new Span(10, 100), 3, 90));
    }

    @Test
    void withoutLateRequestsThereIsNoMoment() {
        assertThat(Moment.of(List.of())).isEmpty();
    }
}
