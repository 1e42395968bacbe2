package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.KnownLife;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Two processes with copies of one directory: the others tell each of them. */
class TwinTest {

    private static final Topology THREE =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private static final Member SELF = THREE.members().getFirst();
    private static final int OTHER = THREE.members().getLast().number();
    private static final long LIFE = 1;
    private static final long TWIN = 2;

    private final ManualTime time = new ManualTime();
    private final LiveTopology topology = new LiveTopology(THREE);

    private Membership member(Condition condition, boolean trusted, long generation) {
        return new Membership(
                topology,
                SELF,
                new Past(condition, trusted, generation, List.of(), 0),
                LIFE,
                Duration.ofMinutes(1),
                time,
                () -> 10);
    }

    private static void hear(Membership membership, long life, long begunAt, long generation) {
        membership.onState(
                OTHER,
                MemberStates.of(
                        3,
                        Condition.WHOLE,
                        1,
                        1,
                        0,
                        0,
                        7,
                        9,
                        List.of(new KnownLife(SELF.number(), life, begunAt, generation))));
    }

    @Test
    void theOneThatIsBehindLosesItsVoteAndIsRebuiltOnce() {
        Membership membership = member(Condition.WHOLE, false, 5);
        hear(membership, 7, 3, 5);
        assertThat(membership.findsOldCopy()).as("its own past").isFalse();
        assertThat(membership.votes()).isTrue();

        hear(membership, TWIN, 5, 6);
        assertThat(membership.findsOldCopy()).isTrue();
        assertThat(membership.votes()).isFalse();
        assertThat(membership.findsOldCopy()).as("found once").isFalse();
        assertThat(membership.generations().next()).isEqualTo(7);

        membership.generations().begin(7);
        membership.become(Condition.WHOLE);
        assertThat(membership.findsOldCopy()).isFalse();
        hear(membership, TWIN, 5, 8);
        assertThat(membership.findsOldCopy()).as("to be rebuilt").isFalse();
        assertThat(membership.votes()).isFalse();
        assertThat(membership.description()).isEqualTo("another process runs under its name");
    }

    @Test
    void aMemberIsNotRebuiltTwiceInOneLife() {
        Membership membership = member(Condition.REBUILDING, false, 0);
        membership.generations().begin(7);
        membership.become(Condition.WHOLE);
        hear(membership, TWIN, 5, 8);
        assertThat(membership.findsOldCopy()).isFalse();
        assertThat(membership.votes()).isFalse();
    }

    @Test
    void aTrustedDirectoryIsNotChecked() {
        Membership membership = member(Condition.WHOLE, true, 5);
        hear(membership, TWIN, 5, 6);
        assertThat(membership.findsOldCopy()).isFalse();
        assertThat(membership.votes()).isTrue();
    }

    @Test
    void aClusterIsNewIfEveryMemberAnnouncesThat() {
        Membership membership = member(Condition.EMPTY, false, 0);
        membership.onState(OTHER, MemberStates.of(3, Condition.EMPTY, 0, 1, 0, 0));
        assertThat(membership.others().allAreNew()).as("a majority").isFalse();
        int last = THREE.members().get(1).number();
        membership.onState(last, MemberStates.of(4, Condition.FOUNDING, 0, 1, 0, 0));
        assertThat(membership.others().allAreNew()).as("without an id").isFalse();
        topology.install(THREE.in(new UUID(1, 2)));
        assertThat(membership.others().allAreNew()).isTrue();
        membership.onState(last, MemberStates.of(4, Condition.RETURNING, 0, 1, 0, 0));
        assertThat(membership.others().allAreNew()).isFalse();
        assertThat(membership.others().anyHasData()).isTrue();
    }

    /** Not alone either, although it took part in the choice of the id: it may be an old copy. */
    @Test
    void aMajorityIsNewIfTheOperatorSaysSo() {
        Membership membership = member(Condition.EMPTY, false, 0);
        membership.others().needNew(2);
        topology.install(THREE.in(new UUID(1, 2)));
        assertThat(membership.others().allAreNew()).as("alone").isFalse();
        membership.onState(OTHER, MemberStates.of(3, Condition.FOUNDING, 0, 1, 0, 0));
        assertThat(membership.others().allAreNew()).isTrue();
        membership.onState(OTHER, MemberStates.of(3, Condition.WHOLE, 0, 1, 0, 0));
        assertThat(membership.others().allAreNew()).isFalse();
    }
}
