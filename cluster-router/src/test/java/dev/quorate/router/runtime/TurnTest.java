package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What belongs together is deferred until all of it is there. */
final class TurnTest {

    private final List<String> events = new ArrayList<>();

    @Test
    void whatIsDeferredTogetherRunsAfterAllOfIt() {
        Turn.atEnd(() -> events.add("alone"));
        Turn.together(
                () -> {
                    Turn.atEnd(() -> events.add("deferred"));
                    events.add("first");
                    Turn.together(() -> Turn.atEnd(() -> events.add("inner")));
                    events.add("last");
                });
        Turn.atEnd(() -> events.add("alone again"));
        assertThat(events)
                .containsExactly("alone", "first", "last", "deferred", "inner", "alone again");
    }

    @Test
    void aFailureEndsItToo() {
        assertThatThrownBy(
                        () ->
                                Turn.together(
                                        () -> {
                                            throw new IllegalStateException("fails");
                                        }))
                .hasMessage("fails");
        Turn.atEnd(() -> events.add("at once"));
        assertThat(events).containsExactly("at once");
    }
}
