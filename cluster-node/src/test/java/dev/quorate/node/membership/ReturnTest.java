package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.membership.Return.Step;
import org.junit.jupiter.api.Test;

/** When a member with a past votes again. */
class ReturnTest {

    private final Return two = new Return(2);

    @Test
    void aMemberThatReachedAllAdvancesAndVotesWhenThatIsRecorded() {
        assertThat(two.onState(2, true, false)).isEqualTo(Step.GIVE_OTHERS_TIME);
        assertThat(two.onState(3, true, false)).isEqualTo(Step.ADVANCE);
        assertThat(two.onState(3, true, true))
                .as("what is not on its disk yet")
                .isEqualTo(Step.WAIT);
        two.advanced();
        assertThat(two.onState(2, true, false)).isEqualTo(Step.WAIT);
        assertThat(two.onState(2, true, true)).isEqualTo(Step.VOTE);
        assertThat(two.onState(3, true, true)).isEqualTo(Step.WAIT);
    }

    @Test
    void oneOtherIsEnoughWhenTheRestHadTime() {
        assertThat(two.onState(2, true, false)).isEqualTo(Step.GIVE_OTHERS_TIME);
        assertThat(two.onState(2, true, false)).isEqualTo(Step.WAIT);
        assertThat(two.waitedLongEnough()).isEqualTo(Step.ADVANCE);
        assertThat(two.waitedLongEnough()).isEqualTo(Step.WAIT);
        two.advanced();
        assertThat(two.onState(2, true, true)).isEqualTo(Step.VOTE);
    }

    @Test
    void aMemberWithoutAnswersDoesNotVote() {
        assertThat(two.waitedLongEnough()).isEqualTo(Step.WAIT);
    }

    @Test
    void aMemberWithoutDataKnowsNoLives() {
        assertThat(two.onState(2, false, false)).isEqualTo(Step.WAIT);
        assertThat(two.onState(3, false, false)).isEqualTo(Step.WAIT);
        assertThat(two.waitedLongEnough()).isEqualTo(Step.WAIT);
        assertThat(two.onState(3, true, false)).isEqualTo(Step.ADVANCE);
        two.advanced();
        assertThat(two.onState(2, false, true)).isEqualTo(Step.WAIT);
        assertThat(two.onState(3, true, true)).isEqualTo(Step.VOTE);
    }

    @Test
    void aFailedRecordIsRetried() {
        Step _ = two.onState(2, true, false);
        assertThat(two.waitedLongEnough()).isEqualTo(Step.ADVANCE);
        two.notAdvanced();
        assertThat(two.waitedLongEnough()).isEqualTo(Step.ADVANCE);
    }

    @Test
    void anOldCopyNeverVotes() {
        Step _ = two.onState(2, true, false);
        two.cancel();
        two.advanced();
        two.notAdvanced();
        assertThat(two.waitedLongEnough()).isEqualTo(Step.WAIT);
        assertThat(two.onState(3, true, true)).isEqualTo(Step.WAIT);
    }
}
