package dev.quorate.node.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.PeerStanding;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.transport.Peer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a peer is sent with each operation, and a peer that speaks another version. */
final class PeerVersionsTest extends TwoMembers {

    private static final TraceParent TRACE = new TraceParent(7, 8, 9, 1);

    /** Takes the answer of an operation that is traced. */
    private static final class TracedAnswers implements AnswerCallback {

        private final Answers answers;

        TracedAnswers(Answers answers) {
            this.answers = answers;
        }

        @Override
        public void answered(ReplicaAnswer answer) {
            answers.answered(answer);
        }

        @Override
        public @Nullable TraceParent trace() {
            return TRACE;
        }
    }

    private final Answers answers = new Answers();
    private int count;

    private void askTraced(Peer peer) {
        peer.ask(write("k" + count, 10), in(1000), new TracedAnswers(answers));
        count++;
        assertThat(answers.await(count)).allMatch(ReplicaAnswer.Stored.class::isInstance);
    }

    @Test
    void aPeerGetsTheTrace() {
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        peer.ask(write("large", 1 << 20), in(1000), new TracedAnswers(answers));
        answers.await(2);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.traces).containsExactly(TRACE.id(), TRACE.id());
    }

    @Test
    void aPeerThatDoesNotTakeTheVersionOfMessagesIsRefused() {
        door.latestVersion = FrameHeader.VERSION - 1;
        Peer peer = connect(DEFAULTS);
        Answers.until(() -> peer.health().standing() == PeerStanding.REFUSED);
        assertThat(peer.health().lastError()).contains("does not speak this node's protocol");
    }
}
