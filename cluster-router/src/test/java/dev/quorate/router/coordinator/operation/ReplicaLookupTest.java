package dev.quorate.router.coordinator.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which replicas are asked. */
class ReplicaLookupTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);

    private final List<Node> nodes = new ArrayList<>();
    private final Ring ring;

    ReplicaLookupTest() {
        for (int i = 1; i <= 4; i++) {
            nodes.add(new Node(new Member("n" + i, URI.create("http://localhost:" + (8080 + i)))));
        }
        ring = new Ring(new Topology(nodes.stream().map(Node::member).toList()));
    }

    private static final class Node implements Replica {
        private final Member member;
        private boolean isGathering;
        private boolean isSlow;

        Node(Member member) {
            this.member = member;
        }

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isGathering() {
            return isGathering;
        }

        @Override
        public boolean isSlow(long nowNanos, long longerThanNanos) {
            return isSlow;
        }
    }

    /** All four, in the ring's order. */
    private List<Node> owners() {
        return ring.replicas(KEY, 4).stream().map(this::node).toList();
    }

    private Node node(Member member) {
        return nodes.stream().filter(node -> node.member.equals(member)).findFirst().orElseThrow();
    }

    private List<Replica> asked(Node local) {
        List<Node> remote = new ArrayList<>(nodes);
        remote.remove(local);
        ReplicaLookup lookup =
                new ReplicaLookup(
                        new ClusterReplicas(ring, local, remote), new LateReads(1_000_000_000));
        return Arrays.asList(lookup.inAskOrder(KEY, new QuorumSpec(3, 4), 0));
    }

    @Test
    void theLocalReplicaIsFirstAndTheOthersFollowInTheRingsOrder() {
        List<Node> ring = owners();
        assertThat(asked(ring.get(2)))
                .containsExactly(ring.get(2), ring.get(0), ring.get(1), ring.get(3));
    }

    @Test
    void aReplicaToWhichAnExchangeIsAboutToLeaveComesNext() {
        List<Node> ring = owners();
        ring.get(3).isGathering = true;
        assertThat(asked(ring.get(2)))
                .containsExactly(ring.get(2), ring.get(3), ring.get(0), ring.get(1));
        ring.get(1).isGathering = true;
        assertThat(asked(ring.get(0)))
                .containsExactly(ring.get(0), ring.get(1), ring.get(3), ring.get(2));
    }

    @Test
    void aSlowReplicaIsLastEvenIfAnExchangeIsAboutToLeave() {
        List<Node> ring = owners();
        ring.get(0).isSlow = true;
        ring.get(0).isGathering = true;
        ring.get(3).isGathering = true;
        assertThat(asked(ring.get(1)))
                .containsExactly(ring.get(1), ring.get(3), ring.get(2), ring.get(0));
    }
}
