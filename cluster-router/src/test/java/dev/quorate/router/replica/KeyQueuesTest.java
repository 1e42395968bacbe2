package dev.quorate.router.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks of one key run one after the other. */
class KeyQueuesTest {

    private static final String KEY = "key";
    private static final String OTHER = "other";

    private final KeyQueues<String> queues = new KeyQueues<>();
    private final List<String> started = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();

    private boolean add(String key, String name) {
        return queues.add(
                key,
                end -> {
                    started.add(name);
                    ends.add(end);
                });
    }

    @Test
    void aTaskStartsWhenTheOneBeforeItHasEnded() {
        add(KEY, "a");
        add(KEY, "b");
        add(OTHER, "c");
        assertThat(started).containsExactly("a", "c");
        ends.getFirst().run();
        assertThat(started).containsExactly("a", "c", "b");
        ends.get(1).run();
        ends.get(2).run();
        assertThat(queues.keys()).isZero();
    }

    @Test
    void aTaskMayEndWhileItStarts() {
        add(KEY, "first");
        int[] count = new int[1];
        for (int i = 0; i < KeyQueues.MAX_WAITING; i++) {
            queues.add(
                    KEY,
                    end -> {
                        count[0]++;
                        end.run();
                    });
        }
        ends.getFirst().run();
        assertThat(count[0]).isEqualTo(KeyQueues.MAX_WAITING);
        assertThat(queues.keys()).isZero();
        add(KEY, "again");
        assertThat(started).containsExactly("first", "again");
    }

    @Test
    void moreThanTheMostAreRejected() {
        add(KEY, "first");
        for (int i = 0; i < KeyQueues.MAX_WAITING; i++) {
            assertThat(add(KEY, "waits")).isTrue();
        }
        assertThat(add(KEY, "one more")).isFalse();
        assertThat(add(OTHER, "other")).isTrue();
    }

    @Test
    void aTaskEndsOnce() {
        add(KEY, "a");
        ends.getFirst().run();
        assertThatThrownBy(() -> ends.getFirst().run()).isInstanceOf(IllegalStateException.class);
    }
}
