package dev.quorate.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {

    @Test
    void eventsHappenAtTheirTimesWheneverTheyWereAdded() {
        SplittableRandom random = new SplittableRandom(3);
        EventQueue queue = new EventQueue(random.split());
        List<Long> due = new ArrayList<>();
        List<Long> happened = new ArrayList<>();
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 40; i++) {
                long delay = random.nextLong(2_000);
                due.add(queue.nanos() + delay);
                queue.after(delay, () -> happened.add(queue.nanos()));
            }
            queue.run(500);
        }
        queue.run(2_000);
        assertThat(happened).isEqualTo(due.stream().sorted().toList());
    }

    @Test
    void theOrderWithinAMomentIsDrawn() {
        EventQueue queue = new EventQueue(new SplittableRandom(3));
        List<Integer> happened = new ArrayList<>();
        List<Integer> added = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            added.add(number);
            queue.after(5, () -> happened.add(number));
        }
        queue.run(4);
        assertThat(happened).isEmpty();
        queue.run(1);
        assertThat(happened).containsExactlyInAnyOrderElementsOf(added).isNotEqualTo(added);
    }
}
