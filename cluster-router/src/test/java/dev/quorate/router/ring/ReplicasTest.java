package dev.quorate.router.ring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.router.Seeded;
import dev.quorate.router.Topologies;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The replicas of keys: which, in which order, and whether enough of them are up. */
class ReplicasTest {

    @Test
    void selectsTheFirstDistinctMembersClockwise() {
        Seeded.forAll(
                "first distinct",
                15,
                random -> {
                    // Up to 16 members: with and without precomputed lists.
                    Ring ring = new Ring(Topologies.random(random, 1 + random.nextInt(16)));
                    for (int i = 0; i < 300; i++) {
                        byte[] key = Topologies.randomKey(random);
                        int from = 1 + random.nextInt(ring.topology().size());
                        assertThat(ring.replicas(key, from))
                                .isEqualTo(firstDistinct(ring, Token.hash(key), from));
                        assertThat(ring.replicas(Token.hash(key), from))
                                .isEqualTo(ring.replicas(key, from));
                    }
                });
    }

    private static List<Member> firstDistinct(Ring ring, long token, int from) {
        Set<Member> found = new LinkedHashSet<>();
        int point = ring.pointAt(token);
        for (int i = 0; found.size() < from; i++) {
            int owner = ring.ownerIndex(ring.tokenOf((point + i) % ring.pointCount()));
            found.add(ring.topology().members().get(owner));
        }
        return List.copyOf(found);
    }

    @Test
    void theListForASmallerFromIsAPrefix() {
        Seeded.forAll(
                "nesting",
                15,
                random -> {
                    int size = 1 + random.nextInt(16);
                    Ring ring = new Ring(Topologies.random(random, size));
                    for (int i = 0; i < 100; i++) {
                        byte[] key = Topologies.randomKey(random);
                        List<Member> all = ring.replicas(key, size);
                        assertThat(all).doesNotHaveDuplicates().hasSize(size);
                        for (int from = 1; from < size; from++) {
                            assertThat(ring.replicas(key, from)).isEqualTo(all.subList(0, from));
                        }
                    }
                });
    }

    @Test
    void eachTurnTakesOneMemberOfEachZone() {
        Seeded.forAll(
                "zones",
                15,
                random -> {
                    int size = 1 + random.nextInt(16);
                    Ring ring = new Ring(inZones(random, size));
                    Ring plain = new Ring(Topologies.numbered(size));
                    for (int i = 0; i < 100; i++) {
                        long token = random.nextLong();
                        List<Member> all = byTurns(plain.replicas(token, size), ring.topology());
                        for (int from = 1; from <= size; from++) {
                            assertThat(ring.replicas(token, from)).isEqualTo(all.subList(0, from));
                        }
                    }
                });
    }

    private static Topology inZones(RandomGenerator random, int size) {
        int zones = 1 + random.nextInt(4);
        StringJoiner members = new StringJoiner(",");
        for (Member member : Topologies.numbered(size).members()) {
            members.add(member.name() + "/z" + random.nextInt(zones) + "=" + member.url());
        }
        return Topology.parseCanonicalText(
                "virtual-nodes=4096;replication=" + Math.min(size, 3) + ";" + members);
    }

    /** All members, of which the first come in this order without zones. */
    private static List<Member> byTurns(List<Member> clockwise, Topology topology) {
        List<Member> left = new ArrayList<>();
        clockwise.forEach(each -> left.add(topology.member(each.name())));
        List<Member> ordered = new ArrayList<>();
        while (!left.isEmpty()) {
            Set<String> zones = new HashSet<>();
            List<Member> turn = left.stream().filter(m -> zones.add(m.place().zone())).toList();
            ordered.addAll(turn);
            left.removeAll(turn);
        }
        return ordered;
    }

    @Test
    void aWeightOfTwoIsTwiceTheKeysAndMovesNoOthers() {
        String text = "virtual-nodes=4096;replication=1;n1=http://a:1,n2=http://b:1,n3=http://c:1";
        Ring before = new Ring(Topology.parseCanonicalText(text));
        Ring after = new Ring(Topology.parseCanonicalText(text.replace("n3=", "n3*2.00=")));
        assertThat(after.shares()[2]).isBetween(0.48, 0.52);
        for (int i = 0; i < 1_000; i++) {
            String owner = after.replicas(("key " + i).getBytes(UTF_8), 1).getFirst().name();
            if (!owner.equals("n3")) {
                assertThat(before.replicas(("key " + i).getBytes(UTF_8), 1).getFirst().name())
                        .isEqualTo(owner);
            }
        }
    }

    /** A restarted node, another node, or one configured with the members in another order. */
    @Test
    void selectsTheSameReplicasOnEveryNodeAndAfterARestart() {
        Seeded.forAll(
                "the same everywhere",
                10,
                random -> {
                    int size = 1 + random.nextInt(16);
                    Topology topology = Topologies.random(random, size);
                    Ring here = new Ring(topology);
                    Ring there = new Ring(new Topology(topology.members().reversed()));
                    for (int i = 0; i < 300; i++) {
                        byte[] key = Topologies.randomKey(random);
                        int from = 1 + random.nextInt(size);
                        assertThat(there.replicas(key, from)).isEqualTo(here.replicas(key, from));
                    }
                });
    }

    @Test
    void sharesEqualLists() {
        for (int size = 1; size <= 7; size++) {
            Ring ring = new Ring(Topologies.numbered(size));
            for (int from = 1; from <= size; from++) {
                Set<Integer> identities = new HashSet<>();
                Set<List<Member>> lists = new HashSet<>();
                for (int point = 0; point < ring.pointCount(); point++) {
                    List<Member> list = ring.replicas(ring.tokenOf(point), from);
                    identities.add(System.identityHashCode(list));
                    lists.add(list);
                }
                // Identity hashes may coincide, so there can be fewer of them but never more.
                assertThat(identities).hasSizeLessThanOrEqualTo(lists.size());
            }
        }
    }

    @Test
    void theListsOfTheLargestClusterFitANodesHeap() {
        Ring ring = new Ring(Topologies.numbered(Topology.MAX_MEMBERS));
        assertThat(ring.replicas(42, 3)).hasSize(3);
        assertThat(ring.replicas(42, 64)).doesNotHaveDuplicates().hasSize(64);
    }

    @Test
    void rejectsMoreReplicasThanMembers() {
        Ring ring = new Ring(Topologies.numbered(3));
        for (int from : new int[] {-1, 0, 4}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ring.replicas(new byte[] {1}, from))
                    .withMessage("'from' must be 1 to 3, but is " + from + ".");
        }
    }

    @Test
    void reportsWhetherEveryRangeReachesAQuorum() {
        for (int size = 1; size <= 6; size++) {
            Ring ring = new Ring(Topologies.numbered(size));
            for (int from = 1; from <= size; from++) {
                for (int ack = 1; ack <= from; ack++) {
                    for (int down = 0; down < 1 << size; down++) {
                        assertReach(ring, new QuorumSpec(ack, from), down);
                    }
                }
            }
        }
    }

    @Test
    void reportsItWithoutPrecomputedListsToo() {
        Seeded.forAll(
                "reach of many",
                20,
                random -> {
                    Ring ring = new Ring(Topologies.random(random, 9));
                    int from = 1 + random.nextInt(9);
                    int ack = 1 + random.nextInt(from);
                    assertReach(ring, new QuorumSpec(ack, from), random.nextInt(1 << 9));
                });
    }

    private static void assertReach(Ring ring, QuorumSpec spec, int down) {
        List<Member> members = ring.topology().members();
        Set<String> names = new HashSet<>(Set.of("a-stranger"));
        IntStream.range(0, members.size())
                .filter(i -> (down & 1 << i) != 0)
                .forEach(i -> names.add(members.get(i).name()));
        boolean expected = true;
        for (int point = 0; point < ring.pointCount() && expected; point++) {
            List<Member> replicas = ring.replicas(ring.tokenOf(point), spec.from());
            int live = 0;
            for (Member replica : replicas) {
                live += names.contains(replica.name()) ? 0 : 1;
            }
            expected = live >= spec.ack();
        }
        assertThat(ring.everyRangeReaches(spec, names))
                .as("%s with %s down", spec, names)
                .isEqualTo(expected);
    }

    @Test
    void aStoredFromOfZeroIsTheReplicationFactor() {
        Ring ring = new Ring(Topologies.random(new SplittableRandom(1), 9));
        int factor = ring.topology().replicationFactor();
        assertThat(ring.effectiveFrom(0)).isEqualTo(factor);
        assertThat(ring.effectiveFrom(9)).isEqualTo(9);
        assertThat(ring.effectiveFrom(12)).isEqualTo(9);
    }
}
