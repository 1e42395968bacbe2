package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WatermarkTest {

    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final Member N1 = THREE.members().get(0);
    private static final int N2 = THREE.members().get(1).number();
    private static final int N3 = THREE.members().get(2).number();

    private final Watermark watermark = new Watermark(THREE, N1, Duration.ofMillis(100), 0);

    @Test
    void aMemberIsCompleteUpToItsEarliestAgreementLessTheSlack() {
        watermark.agreed(N2, 5_000, 0);
        assertThat(watermark.completeMillis()).isZero();
        watermark.agreed(N3, 3_000, 0);
        assertThat(watermark.completeMillis()).isEqualTo(2_900);
        watermark.agreed(N3, 9_000, 0);
        assertThat(watermark.completeMillis()).isEqualTo(4_900);
        watermark.agreed(N2, 1_000, 0); // told late
        assertThat(watermark.completeMillis()).isEqualTo(4_900);
    }

    @Test
    void theWatermarkWaitsForEveryMemberToBeComplete() {
        watermark.agreed(N2, 5_000, 0);
        watermark.agreed(N3, 5_000, 0);
        watermark.merge(N2, 0, 4_000, 0);
        assertThat(watermark.knownMillis()).isZero();
        watermark.merge(N3, 0, 3_000, 0);
        assertThat(watermark.knownMillis()).isEqualTo(3_000);
        watermark.merge(N3, 0, 0, 0); // it has begun anew: what it had said stays true
        assertThat(watermark.knownMillis()).isEqualTo(3_000);
        watermark.merge(N3, 0, 8_000, 0);
        watermark.merge(N2, 0, 8_000, 0);
        assertThat(watermark.knownMillis()).isEqualTo(4_900);
    }

    @Test
    void anotherMembersWatermarkIsAdopted() {
        watermark.merge(N2, 0, 0, 2_000);
        assertThat(watermark.knownMillis()).isEqualTo(2_000);
        watermark.merge(N3, 0, 0, 1_000);
        assertThat(watermark.knownMillis()).isEqualTo(2_000);
    }

    @Test
    void itIsActedOnWhenItIsOnDiskAndNotBefore() {
        watermark.merge(N2, 0, 0, 2_000);
        assertThat(watermark.gcWatermarkMillis()).isZero();
        watermark.apply(2_000);
        assertThat(watermark.gcWatermarkMillis()).isEqualTo(2_000);
        Watermark nextLife = new Watermark(THREE, N1, Duration.ZERO, 2_000);
        assertThat(List.of(nextLife.gcWatermarkMillis(), nextLife.knownMillis()))
                .containsOnly(2_000L);
    }

    @Test
    void aClusterOfOneAgreesWithItself() {
        Topology one = Topology.parse("n1=http://a:1");
        Watermark alone = new Watermark(one, one.members().getFirst(), Duration.ofMillis(100), 0);
        assertThat(alone.knownMillis()).isZero();
        alone.agreeAlone(5_000);
        assertThat(alone.knownMillis()).isEqualTo(4_900);
        watermark.agreeAlone(5_000);
        assertThat(watermark.knownMillis()).isZero();
    }

    /** Members must agree again when keys get other owners, and not when an address changes. */
    @Test
    void whatWasAgreedAboutOtherKeysDoesNotCount() {
        Topology first = THREE.in(new UUID(1, 2));
        Watermark changed = new Watermark(first, N1, Duration.ZERO, 0);
        for (int other : new int[] {N2, N3}) {
            changed.agreed(other, 5_000, 1);
            changed.merge(other, 1, 5_000, 0);
        }
        Topology moved = first.next(List.of(N1.at(URI.create("http://d:1")), at(1), at(2)));
        changed.moveTo(moved);
        assertThat(changed.completeMillis(2)).isEqualTo(5_000);
        assertThat(changed.completeMillis(1)).isZero();

        Member n4 = new Member("n4", URI.create("http://e:1"), 3);
        changed.moveTo(moved.next(List.of(N1, at(1), at(2), n4)));
        assertThat(changed.knownMillis()).as("what was known stays true").isEqualTo(5_000);
        assertThat(changed.completeMillis(3)).isZero();
        for (int other : new int[] {N2, N3, n4.number()}) {
            changed.agreed(other, 9_000, 2);
            changed.merge(other, 2, 9_000, 0);
        }
        assertThat(changed.completeMillis(3)).as("of the epoch before").isZero();
        for (int other : new int[] {N2, N3, n4.number()}) {
            changed.agreed(other, 9_000, 3);
            assertThat(changed.knownMillis()).isEqualTo(5_000);
            changed.merge(other, 3, 9_000, 0);
        }
        assertThat(changed.knownMillis()).isEqualTo(9_000);
    }

    private static Member at(int place) {
        return THREE.members().get(place);
    }

    @Test
    void olderWritesThanMayBeOnTheirWayAreNotTaken() {
        assertThat(watermark.oldestWriteMillis(1_000)).isEqualTo(900);
    }
}
