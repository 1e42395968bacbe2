package dev.quorate.router.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The owners of stored entries, while members join and leave. */
class PlacementTest {

    private static final String EPOCH =
            "cluster=5d1c1f0e-8a3b-4c6d-9e7f-0a1b2c3d4e5f;epoch=2;virtual-nodes=64;replication=3;";

    private static final String TWO = EPOCH.replace("replication=3", "replication=2");

    private static Placement placement(String members) {
        Topology topology = Topology.parseCanonicalText(EPOCH + members);
        return Placement.of(topology, new Ring(topology.before()));
    }

    private static void check(Placement placement) {
        for (int from = 0; from <= 7; from++) {
            for (int i = 0; i < 200; i++) {
                byte[] key = ("key " + i).getBytes(StandardCharsets.US_ASCII);
                Set<Member> expected = new LinkedHashSet<>();
                for (Ring ring : List.of(placement.before(), placement.after())) {
                    expected.addAll(ring.replicas(key, ring.effectiveFrom(from)));
                }
                assertThat(placement.ownersOf(key, from))
                        .containsExactlyInAnyOrderElementsOf(expected);
                for (Member member : placement.topology().members()) {
                    assertThat(placement.ownersOf(key, from).contains(member))
                            .isEqualTo(expected.contains(member));
                }
                assertThat(
                                placement
                                        .ownersOf(key, from)
                                        .contains(new Member("n9", member(placement).url())))
                        .isFalse();
            }
        }
    }

    private static Member member(Placement placement) {
        return placement.topology().members().getFirst();
    }

    @Test
    void aRingThatPlacesKeysOtherwiseIsNotUsed() {
        Topology here = Topology.parseCanonicalText(TWO + "n1=http://a:1,n2=http://b:1");
        Topology there = Topology.parseCanonicalText(TWO + "n1=http://a:1,n3=http://c:1");
        check(Placement.of(here, new Ring(there)));
        assertThat(Placement.of(here, new Ring(there)).ownersOf(new byte[] {1}, 2))
                .containsExactlyInAnyOrderElementsOf(here.members());
    }

    @Test
    void theReplicationFactorMayDiffer() {
        String members = "n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1,n5=http://e:1";
        for (String factor : List.of("replication=3>5;", "replication=5>3;", "replication=1>2;")) {
            Topology topology =
                    Topology.parseCanonicalText(EPOCH.replace("replication=3;", factor) + members);
            Placement placement = Placement.of(topology, new Ring(topology.before()));
            check(placement);
            int before = topology.replicationFactor();
            int most = Math.max(before, topology.nextFactor());
            QuorumSpec fixed = new QuorumSpec(1, 4);
            byte[] key = {1};
            for (QuorumSpec spec :
                    List.of(QuorumSpec.majority(before), QuorumSpec.majority(2).asDefault())) {
                assertThat(placement.storedFrom(spec)).isZero();
                assertThat(placement.owners(key, spec))
                        .containsExactlyInAnyOrderElementsOf(placement.ownersOf(key, 0))
                        .hasSize(most);
                assertThat(placement.specIn(placement.after(), spec))
                        .hasToString(QuorumSpec.majority(topology.nextFactor()).toString());
            }
            assertThat(placement.storedFrom(fixed)).isEqualTo(4);
            assertThat(placement.owners(key, fixed))
                    .containsExactlyElementsOf(placement.before().replicas(key, 4));
            assertThat(placement.specIn(placement.after(), fixed)).isSameAs(fixed);
        }
    }

    /** A stored number of owners may exceed the members of one of the rings, or of both. */
    @Test
    void eachRingHasItsOwnLimit() {
        check(placement("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1"));
        check(
                placement(
                        "n1=http://a:1,n2=http://b:1,n3=http://c:1,+n4@2=http://d:1,+n5@2=http://e:1"));
        check(placement("n1=http://a:1,n2=http://b:1,n3=http://c:1,-n4=http://d:1,-n5=http://e:1"));
        check(placement("n1=http://a:1,n2=http://b:1,+n3@2=http://c:1"));
    }
}
