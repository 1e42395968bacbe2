package dev.quorate.router.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.router.Seeded;
import dev.quorate.router.Topologies;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CoOwnersTest {

    @Test
    void everyOwnerOfAKeyBesideTheMemberIsOne() {
        Seeded.forAll(
                "co-owners",
                15,
                random -> {
                    Ring ring = new Ring(Topologies.random(random, 1 + random.nextInt(16)));
                    Topology topology = ring.topology();
                    Member member = topology.members().get(random.nextInt(topology.size()));
                    Set<Member> expected = new HashSet<>();
                    for (int point = 0; point < ring.pointCount(); point++) {
                        List<Member> owners =
                                ring.replicas(ring.tokenOf(point), topology.replicationFactor());
                        if (owners.contains(member)) {
                            expected.addAll(owners);
                        }
                    }
                    expected.remove(member);
                    assertThat(ring.coOwners(member)).containsExactlyInAnyOrderElementsOf(expected);
                });
    }

    /** With one point for each member there are as many lists of owners as members. */
    @Test
    void aMemberThatSharesNoKeyIsNone() {
        StringBuilder text = new StringBuilder("virtual-nodes=1;replication=2");
        for (int i = 1; i <= 9; i++) {
            text.append(i == 1 ? ';' : ',').append("n%d=http://h%<d:8080".formatted(i));
        }
        Ring ring = new Ring(Topology.parseCanonicalText(text.toString()));
        for (Member member : ring.topology().members()) {
            // With two owners: the member before it on the ring, and the one after it.
            assertThat(ring.coOwners(member)).hasSize(2);
        }
    }

    @Test
    void aMemberOfAnotherClusterIsRefused() {
        Ring ring = new Ring(Topology.parse("n1=http://a:8080,n2=http://b:8080"));
        Member stranger = Topology.parse("n9=http://z:8080").members().getFirst();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ring.coOwners(stranger))
                .withMessage("n9 is not a member");
    }
}
