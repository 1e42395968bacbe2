package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.List;
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
        watermark.agreed(N2, 5_000);
        assertThat(watermark.completeMillis()).isZero();
        watermark.agreed(N3, 3_000);
        assertThat(watermark.completeMillis()).isEqualTo(2_900);
        watermark.agreed(N3, 9_000);
        assertThat(watermark.completeMillis()).isEqualTo(4_900);
        watermark.agreed(N2, 1_000); // told late
        assertThat(watermark.completeMillis()).isEqualTo(4_900);
    }

    @Test
    void theWatermarkWaitsForEveryMemberToBeComplete() {
        watermark.agreed(N2, 5_000);
        watermark.agreed(N3, 5_000);
        watermark.merge(N2, 4_000, 0);
        assertThat(watermark.knownMillis()).isZero();
        watermark.merge(N3, 3_000, 0);
        assertThat(watermark.knownMillis()).isEqualTo(3_000);
        watermark.merge(N3, 0, 0); // it has begun anew: what it had said stays true
        assertThat(watermark.knownMillis()).isEqualTo(3_000);
        watermark.merge(N3, 8_000, 0);
        watermark.merge(N2, 8_000, 0);
        assertThat(watermark.knownMillis()).isEqualTo(4_900);
    }

    @Test
    void anotherMembersWatermarkIsAdopted() {
        watermark.merge(N2, 0, 2_000);
        assertThat(watermark.knownMillis()).isEqualTo(2_000);
        watermark.merge(N3, 0, 1_000);
        assertThat(watermark.knownMillis()).isEqualTo(2_000);
    }

    @Test
    void itIsActedOnWhenItIsOnDiskAndNotBefore() {
        watermark.merge(N2, 0, 2_000);
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

    @Test
    void olderWritesThanMayBeOnTheirWayAreNotTaken() {
        assertThat(watermark.oldestWriteMillis(1_000)).isEqualTo(900);
    }
}
