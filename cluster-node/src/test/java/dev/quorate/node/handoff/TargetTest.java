package dev.quorate.node.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** How much is counted as kept for a replica. */
class TargetTest {

    private static final long MOST = 100;

    private final Target target = Target.of(new Nobody(), () -> true);

    @Test
    void hintsStayWithinTheLimit() {
        assertThat(target.hasHints()).isFalse();
        assertThat(target.add(60, MOST)).isTrue();
        assertThat(target.add(40, MOST)).isTrue();
        assertThat(target.add(1, MOST)).isFalse();
        assertThat(target.pendingBytes()).hasValue(100);
        target.remove(30);
        assertThat(target.pendingBytes()).hasValue(70);
        assertThat(target.add(30, MOST)).isTrue();
        target.remove(1_000);
        assertThat(target.pendingBytes()).hasValue(0);
        assertThat(target.hasHints()).isFalse();
    }

    @Test
    void hintsFromBeforeARestartCountUpToTheLimit() {
        assertThat(target.add(10, MOST)).isTrue();
        target.found(50, MOST);
        assertThat(target.pendingBytes()).hasValue(60);
        target.found(500, MOST);
        assertThat(target.pendingBytes()).hasValue(MOST);
    }

    @Test
    void hintsDuringASurveyAreAdded() {
        assertThat(target.add(10, MOST)).isTrue();
        long before = target.added().get();
        assertThat(target.add(5, MOST)).isTrue();
        target.counted(7, before);
        assertThat(target.pendingBytes()).hasValue(12);
    }

    private static final class Nobody implements Replica {

        @Override
        public Member member() {
            return new Member("n2", URI.create("http://localhost:1"));
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            throw new IllegalStateException("it is not asked");
        }
    }
}
