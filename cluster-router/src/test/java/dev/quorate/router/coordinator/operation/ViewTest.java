package dev.quorate.router.coordinator.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Placement;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The order in which replicas are asked. */
class ViewTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final QuorumSpec ALL = new QuorumSpec(4, 4);

    private final List<Node> nodes = new ArrayList<>();
    private final Ring ring;
    private final LiveTopology live;

    ViewTest() {
        for (int i = 1; i <= 4; i++) {
            nodes.add(new Node(new Member("n" + i, URI.create("http://localhost:" + (8080 + i)))));
        }
        ring = new Ring(new Topology(nodes.stream().map(Node::member).toList()));
        live = new LiveTopology(ring.topology());
    }

    private static final class Node implements Replica {
        private final Member member;
        private boolean isJoinable;
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
        public boolean isJoinable(Lane lane) {
            return isJoinable;
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
        return Arrays.asList(view(local).inAskOrder(KEY, new QuorumSpec(3, 4), Lane.READ, 0));
    }

    private View view(Node local) {
        List<Node> remote = new ArrayList<>(nodes);
        remote.remove(local);
        return new View(
                new ClusterReplicas(live, ring, local, () -> remote),
                Placement.of(live.current(), ring),
                new LateReads(1_000_000_000));
    }

    /** The next epoch, in which a member joins and another leaves. */
    private Topology joint(String joins, String leaves) {
        return live.current()
                .in(new UUID(1, 2))
                .next(
                        nodes.stream()
                                .map(Node::member)
                                .map(
                                        each ->
                                                new Member(
                                                        each.name(),
                                                        each.url(),
                                                        1,
                                                        each.name().equals(joins)
                                                                ? Member.Part.JOINS
                                                                : each.name().equals(leaves)
                                                                        ? Member.Part.LEAVES
                                                                        : Member.Part.STAYS,
                                                        Member.Place.USUAL,
                                                        null))
                                .toList());
    }

    @Test
    void inAJointEpochEachGroupNeedsItsQuorum() {
        Node local = nodes.getFirst();
        View joint = view(local).in(joint("n3", "n4"));
        QuorumSpec spec = new QuorumSpec(2, 2);
        int twoGroups = 0;
        for (int i = 0; i < 50; i++) {
            byte[] key = {(byte) i};
            Replica[] asked = joint.inAskOrder(key, spec, Lane.READ, 0);
            List<String> names = Arrays.stream(asked).map(Replica::name).toList();
            List<Member> before = new Ring(joint.topology().before()).replicas(key, 2);
            List<Member> after = new Ring(joint.topology().after()).replicas(key, 2);
            assertThat(before).noneMatch(each -> each.name().equals("n3"));
            assertThat(after).noneMatch(each -> each.name().equals("n4"));
            Electorate electorate = joint.electorate(key, spec, asked);
            assertThat(electorate.isJoint()).isEqualTo(!before.equals(after));
            twoGroups += electorate.isJoint() ? 1 : 0;
            assertThat(names)
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(before.stream(), after.stream())
                                    .map(Member::name)
                                    .distinct()
                                    .toList());
            long ofBefore = 0;
            for (Member each : before) {
                ofBefore |= 1L << names.indexOf(each.name());
            }
            assertThat(electorate.isQuorum(ofBefore)).isEqualTo(!electorate.isJoint());
            assertThat(electorate.isQuorum(-1L >>> (Long.SIZE - asked.length))).isTrue();
        }
        assertThat(twoGroups).isBetween(20, 49);
    }

    @Test
    void anAddressChangesNoOwner() {
        View view = view(nodes.getFirst());
        Topology first = live.current().in(new UUID(1, 2));
        Topology moved =
                first.next(
                        first.members().stream()
                                .map(
                                        each ->
                                                each.at(
                                                        URI.create(
                                                                "http://x:"
                                                                        + each.url().getPort())))
                                .toList());
        View next = view.in(moved);
        assertThat(next.topology()).isEqualTo(moved);
        assertThat(next.owners(KEY, ALL)).containsExactly(view.owners(KEY, ALL));
    }

    /** Rule E3: a replica's answer is one only if it is still in the epoch of the request. */
    @Test
    void thisNodesOwnAnswerCountsOnlyInItsEpoch() {
        Node local = nodes.getFirst();
        View view = view(local);
        ReplicaAnswer answer = ReplicaAnswer.Absent.ABSENT;
        assertThat(view.counted(local, answer)).isEqualTo(answer);
        live.install(live.current().in(new UUID(1, 2)));
        assertThat(view.counted(local, answer).failure().reason()).isEqualTo(Failure.STALE);
        assertThat(view.counted(nodes.get(1), answer)).as("its node has checked").isEqualTo(answer);
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
        ring.get(3).isJoinable = true;
        assertThat(asked(ring.get(2)))
                .containsExactly(ring.get(2), ring.get(3), ring.get(0), ring.get(1));
        ring.get(1).isJoinable = true;
        assertThat(asked(ring.get(0)))
                .containsExactly(ring.get(0), ring.get(1), ring.get(3), ring.get(2));
    }

    @Test
    void aSlowReplicaIsLastEvenIfAnExchangeIsAboutToLeave() {
        List<Node> ring = owners();
        ring.get(0).isSlow = true;
        ring.get(0).isJoinable = true;
        ring.get(3).isJoinable = true;
        assertThat(asked(ring.get(1)))
                .containsExactly(ring.get(1), ring.get(3), ring.get(2), ring.get(0));
    }
}
