package dev.quorate.router.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ElectorateTest {

    private static final QuorumSpec TWO_OF_THREE = new QuorumSpec(2, 3);

    @Test
    void theUsualQuorumsAreNotAllocatedAgain() {
        for (int from = 1; from <= 8; from++) {
            for (int ack = 1; ack <= from; ack++) {
                QuorumSpec spec = new QuorumSpec(ack, from);
                Electorate electorate = Electorate.of(spec);
                assertThat(electorate).isSameAs(Electorate.of(spec)).hasToString(spec.toString());
                assertThat(electorate.spec()).isEqualTo(spec);
                assertThat(electorate.size()).isEqualTo(from);
                assertThat(electorate.isMajority()).isEqualTo(spec.isMajority());
                assertThat(electorate.majority())
                        .isSameAs(Electorate.majority(from))
                        .isSameAs(Electorate.of(QuorumSpec.majority(from)));
            }
        }
        assertThat(Electorate.majority(QuorumSpec.MAX_FROM)).hasToString("17/32");
    }

    @Test
    void equalGroupsAreOne() {
        assertThat(Electorate.joint(TWO_OF_THREE, 0b111, TWO_OF_THREE, 0b111))
                .isSameAs(Electorate.of(TWO_OF_THREE));
    }

    @Test
    void groupsHaveTheirSizesAndNoGaps() {
        for (long[] masks : new long[][] {{0b11, 0b111}, {0b111, 0b1111}, {0b111, 0b110010}}) {
            assertThatThrownBy(
                            () -> Electorate.joint(TWO_OF_THREE, masks[0], TWO_OF_THREE, masks[1]))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** All pairs of groups among up to five replicas, all quorums, all sets of replicas. */
    @Test
    void eachGroupCounts() {
        for (int before = 1; before < 32; before++) {
            for (int after = 1; after < 32; after++) {
                int all = before | after;
                if ((all & (all + 1)) == 0) {
                    check(before, after);
                }
            }
        }
    }

    private static void check(int before, int after) {
        for (int ack = 1; ack <= Math.min(Integer.bitCount(before), 3); ack++) {
            QuorumSpec first = new QuorumSpec(ack, Integer.bitCount(before));
            int secondAck = Math.min(ack, Integer.bitCount(after));
            QuorumSpec second = new QuorumSpec(secondAck, Integer.bitCount(after));
            Electorate electorate = Electorate.joint(first, before, second, after);
            assertThat(electorate.isJoint()).isEqualTo(before != after);
            assertThat(electorate.isMajority())
                    .isEqualTo(first.isMajority() && second.isMajority());
            assertThat(electorate.sufficient())
                    .isEqualTo(before == after ? ack : Integer.MAX_VALUE);
            Electorate majority = electorate.majority();
            assertThat(majority.isMajority()).isTrue();
            for (int set = 0; set <= (before | after); set++) {
                int old = Integer.bitCount(set & before);
                int young = Integer.bitCount(set & after);
                assertThat(electorate.isQuorum(set)).isEqualTo(old >= ack && young >= secondAck);
                assertThat(electorate.isQuorum(set, 1)).isEqualTo(old > ack && young > secondAck);
                assertThat(electorate.isQuorumBefore(set)).isEqualTo(old >= ack);
                assertThat(electorate.isImpossible(set))
                        .isEqualTo(first.from() - old < ack || second.from() - young < secondAck);
                assertThat(majority.isQuorum(set))
                        .isEqualTo(2 * old > first.from() && 2 * young > second.from());
            }
        }
    }

    @Test
    void saysHowManyOfEachGroup() {
        Electorate one = Electorate.of(TWO_OF_THREE);
        assertThat(one.counted(0b101)).isEqualTo("2 of 3 replicas");
        assertThat(one.needed()).isEqualTo("2");
        Electorate two = Electorate.joint(TWO_OF_THREE, 0b0111, TWO_OF_THREE, 0b1011);
        assertThat(two).hasToString("2/3 and 2/3");
        assertThat(two.counted(0b1101))
                .isEqualTo("2 of the 3 old owners and 2 of the 3 new owners");
        assertThat(two.needed()).isEqualTo("2 of each");
        Electorate fewer = Electorate.joint(TWO_OF_THREE, 0b111, new QuorumSpec(1, 2), 0b011);
        assertThat(fewer.needed()).isEqualTo("2 and 1");
    }

    @Test
    void aUnionHasUpTo64Replicas() {
        QuorumSpec spec = QuorumSpec.majority(32);
        Electorate electorate = Electorate.joint(spec, -1L >>> 32, spec, -1L << 32);
        assertThat(electorate.size()).isEqualTo(64);
        assertThat(electorate.isQuorum(-1L)).isTrue();
        assertThat(electorate.isImpossible(-1L << 49)).isFalse();
        assertThat(electorate.isImpossible(-1L << 48)).isTrue();
    }
}
