package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a member that is about to stop announces, and what the others make of it. */
final class StoppingMemberTest {

    private static final Topology TOPOLOGY =
            Topology.parse("n1=http://a:8080,n2=http://b:8080,n3=http://c:8080");

    private static Membership member(Condition condition) {
        return new Membership(
                new LiveTopology(TOPOLOGY),
                TOPOLOGY.members().getFirst(),
                new Past(condition, false, 0, List.of(), 0),
                1,
                Duration.ZERO,
                new ManualTime(),
                () -> 0);
    }

    private static final int OTHER = TOPOLOGY.members().getLast().number();

    @Test
    void aWholeMemberAnnouncesThatItStopsAndVotesOn() {
        Membership membership = member(Condition.WHOLE);
        assertThat(membership.stateFor(OTHER).condition()).isEqualTo(Condition.WHOLE);
        membership.setStopping(true);
        assertThat(membership.stateFor(OTHER).condition()).isEqualTo(Condition.STOPPING);
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void oneThatDoesNotVoteSaysSoInstead() {
        Membership membership = member(Condition.REBUILDING);
        membership.setStopping(true);
        assertThat(membership.stateFor(OTHER).condition()).isEqualTo(Condition.REBUILDING);
    }

    @Test
    void theOthersCountItsVoteUntilItIsBack() {
        Membership membership = member(Condition.WHOLE);
        assertThat(membership.others().stops(OTHER)).isFalse();
        membership.onState(OTHER, MemberStates.of(7, Condition.STOPPING, 0, 1, 0, 0));
        assertThat(membership.others().stops(OTHER)).isTrue();
        assertThat(membership.others().votes(OTHER)).isTrue();
        assertThat(membership.others().anyHasData()).isTrue();
        membership.onState(OTHER, MemberStates.of(8, Condition.WHOLE, 0, 1, 0, 0));
        assertThat(membership.others().stops(OTHER)).isFalse();
    }
}
