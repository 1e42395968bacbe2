package dev.quorate.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.health.PeerStanding;
import dev.quorate.node.message.AnswerCallback;
import dev.quorate.node.message.ReplicaAnswer;
import dev.quorate.node.message.ReplicaRequest;
import dev.quorate.node.message.TraceParent;
import dev.quorate.storage.KeyOrder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node and peers of earlier and later releases: both use the highest version that both take. */
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
    void aPeerOfThisReleaseGetsTheTrace() {
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        peer.ask(write("large", 1 << 20), in(1000), new TracedAnswers(answers));
        answers.await(2);
        assertThat(answers.failures()).isEmpty();
        assertThat(door.versions).containsOnly(5);
        assertThat(door.traces).containsExactly(TRACE.id(), TRACE.id());
        assertThat(peer.health().messageVersion()).isEqualTo(5);
    }

    @Test
    void aPeerOfAnEarlierReleaseGetsWhatItTakes() throws IOException {
        door.latestVersion = 4;
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        peer.ask(write("large", 1 << 20), in(1000), new TracedAnswers(answers));
        answers.await(2);
        assertThat(answers.failures()).isEmpty();
        assertThat(peer.health().messageVersion()).isEqualTo(4);
        assertThat(peer.health().standing()).isEqualTo(PeerStanding.UP);
        assertThat(door.traces).isEmpty();
        // The probe found out: nothing is refused any more.
        assertThat(door.versions).containsSubsequence(5, 4, 4);
    }

    /** What it does not know is not sent, so that the other operations of a message are done. */
    @Test
    void aPeerOfAnEarlierReleaseIsNotAskedForDescendingPages() {
        door.latestVersion = 4;
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        Answers descending = new Answers();
        peer.ask(
                new ReplicaRequest.ScanPage(new byte[] {1}, null, 100, KeyOrder.DESCENDING),
                in(1000),
                descending);
        assertThat(descending.await(1))
                .singleElement()
                .isInstanceOfSatisfying(
                        ReplicaAnswer.Failed.class,
                        failed -> assertThat(failed.detail()).contains("earlier release"));
        askTraced(peer);
        assertThat(peer.health().standing()).isEqualTo(PeerStanding.UP);
    }

    @Test
    void aPeerThatComesBackInALaterReleaseIsSentTheLatest() throws IOException {
        door.latestVersion = 4;
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        int port = door.port();
        door.close();
        door = openDoor(Pair.identity("n2", time), port);
        Answers.until(() -> peer.health().standing() == PeerStanding.UP && isAnswered(peer));
        askTraced(peer);
        assertThat(peer.health().messageVersion()).isEqualTo(5);
        assertThat(door.traces).containsExactly(TRACE.id());
    }

    @Test
    void aPeerThatComesBackInAnEarlierReleaseIsStillUnderstood() throws IOException {
        Peer peer = connectAndWait(DEFAULTS);
        askTraced(peer);
        int port = door.port();
        door.close();
        door = openDoor(Pair.identity("n2", time), port);
        door.latestVersion = 4;
        Answers.until(() -> peer.health().standing() == PeerStanding.UP && isAnswered(peer));
        askTraced(peer);
        assertThat(peer.health().messageVersion()).isEqualTo(4);
    }

    /** Whether it takes operations again: the first ones may meet the connection that is gone. */
    private boolean isAnswered(Peer peer) {
        time.advanceMillis(200);
        Answers once = new Answers();
        peer.ask(read("x"), in(1000), once);
        Answers.until(() -> once.count() == 1);
        return once.failures().isEmpty();
    }

    @Test
    void aPeerThatTakesNoVersionOfThisReleaseIsRefused() {
        door.latestVersion = 3;
        Peer peer = connect(DEFAULTS);
        Answers.until(() -> peer.health().standing() == PeerStanding.REFUSED);
        assertThat(peer.health().lastError()).contains("does not speak this node's protocol");
    }
}
