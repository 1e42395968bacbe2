package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlinesTest {

    private final ManualTime time = new ManualTime();
    private final List<String> expired = new ArrayList<>();

    private final class Watched implements Deadlines.Expiring {
        final String name;
        final long deadlineNanos;
        boolean complete;

        Watched(String name, Duration in) {
            this.name = name;
            this.deadlineNanos = time.nanos() + in.toNanos();
        }

        @Override
        public boolean isComplete() {
            return complete;
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire() {
            expired.add(name + "@" + time.nanos() / 1_000_000);
        }
    }

    @Test
    void expiresLateOperationsInAnyOrderAndDropsCompleteOnes() {
        Deadlines deadlines = new Deadlines(time, time);
        for (int i = 0; i < 2; i++) {
            assertThat(time.scheduled()).isZero();
            Watched complete = new Watched("complete", Duration.ofMillis(15));
            deadlines.watch(new Watched("late", Duration.ofMillis(45)));
            deadlines.watch(complete);
            deadlines.watch(new Watched("early", Duration.ofMillis(20)));
            deadlines.watch(new Watched("past", Duration.ofMillis(-1)));
            time.advanceMillis(10);
            complete.complete = true;
            time.advanceMillis(100);
            int began = 110 * i;
            assertThat(expired)
                    .containsExactly(
                            "past@" + (began + 10),
                            "early@" + (began + 20),
                            "late@" + (began + 50));
            expired.clear();
        }
        assertThat(time.scheduled()).as("nothing wakes an idle node").isZero();
    }
}
