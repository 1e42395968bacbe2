package dev.quorate.router.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ShareOfReadsTest {

    private static final int ALL = 10;

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final Executor all =
            read -> {
                if (waiting.size() == ALL) {
                    throw new RejectedExecutionException("full");
                }
                waiting.add(read);
            };
    private final Executor share = new ShareOfReads(all, 6);
    private final AtomicInteger done = new AtomicInteger();

    private int fill(Executor executor) {
        int taken = 0;
        try {
            while (taken <= ALL) {
                executor.execute(done::incrementAndGet);
                taken++;
            }
        } catch (RejectedExecutionException e) {
            // That is all.
        }
        return taken;
    }

    @Test
    void aShareLeavesRoomForOthers() {
        assertThat(fill(share)).isEqualTo(6);
        assertThat(fill(all)).isEqualTo(4);
        waiting.remove().run();
        assertThat(fill(share)).isEqualTo(1);
    }

    @Test
    void aRejectedReadReleasesItsShare() {
        assertThat(fill(all)).isEqualTo(ALL);
        assertThatThrownBy(() -> share.execute(done::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class);
        waiting.clear();
        assertThat(fill(share)).isEqualTo(6);
        waiting.forEach(Runnable::run);
        assertThat(done).hasValue(6);
    }
}
