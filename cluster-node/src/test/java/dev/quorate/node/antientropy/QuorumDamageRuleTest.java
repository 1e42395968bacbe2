package dev.quorate.node.antientropy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a damaged member can do without what others have lost of the same keys. */
class QuorumDamageRuleTest {

    private static final long NEWEST = 1_767_225_600_000L;

    private final Member n2 = member("n2");
    private final Member n3 = member("n3");
    private final Member n4 = member("n4");
    private final Member n5 = member("n5");

    private static Member member(String name) {
        return new Member(name, URI.create("http://" + name + ":1"));
    }

    private static MemberState state(Condition condition, long complete, long settled) {
        return MemberStates.of(1, condition, 1, NEWEST, complete, settled);
    }

    private static MemberState hasAllUpTo(long complete) {
        return state(Condition.WHOLE, complete, 0);
    }

    private static @Nullable String objection(
            List<Member> damaged, Map<Member, MemberState> sound, int copies) {
        return QuorumDamageRule.objection(Timestamp.of(NEWEST, 7, 1), damaged, sound, copies);
    }

    @Test
    void aSoundMemberHasToHaveAllThatIsAsOldAsTheTable() {
        assertThat(objection(List.of(n2), Map.of(n3, hasAllUpTo(NEWEST + 1)), 3)).isNull();
        assertThat(objection(List.of(n2), Map.of(n3, hasAllUpTo(NEWEST)), 3))
                .startsWith("n3 is known to have everything only up to 2026-01-01T00:00:00.000Z");
        assertThat(objection(List.of(n2), Map.of(n3, hasAllUpTo(0)), 3))
                .startsWith("n3 does not know up to when");
    }

    @Test
    void theWatermarkSurvivesARestart() {
        MemberState restarted = state(Condition.WHOLE, 0, NEWEST + 1);
        assertThat(objection(List.of(n2), Map.of(n3, restarted), 3)).isNull();
    }

    @Test
    void oneThatHasLostItsDiskIsNotSound() {
        for (Condition condition : Condition.values()) {
            String objection =
                    objection(List.of(n2), Map.of(n3, state(condition, NEWEST + 1, NEWEST + 1)), 3);
            if (condition.votes()) {
                assertThat(objection).isNull();
            } else {
                assertThat(objection).startsWith("n3 has lost its disk");
            }
        }
    }

    @Test
    void everySoundMemberHasTo() {
        MemberState all = hasAllUpTo(NEWEST + 1);
        assertThat(objection(List.of(n2), Map.of(n3, all, n4, all, n5, all), 3)).isNull();
        assertThat(objection(List.of(n2), Map.of(n3, all, n4, hasAllUpTo(NEWEST), n5, all), 3))
                .startsWith("n4 ");
    }

    @Test
    void onlyTheShownLossIsAccepted() {
        KeyRange range = new KeyRange(new byte[] {'a'}, new byte[] {'b'});
        KeyRange other = new KeyRange(new byte[] {'a'}, null);
        Timestamp newest = Timestamp.of(NEWEST, 7, 1);
        Damage damage = new Damage("000012.sst", List.of(range), newest);
        Damage another = new Damage("000013.sst", List.of(range), newest);
        AcceptedLoss shown =
                new AcceptedLoss(damage.file(), List.of(range), newest, List.of("n2", "n3"), "");
        assertThat(shown.covers(damage, range, List.of("n2", "n3"))).isTrue();
        assertThat(shown.covers(damage, range, List.of("n3"))).isTrue();
        assertThat(shown.covers(damage, range, List.of("n2", "n4"))).isFalse();
        assertThat(shown.covers(damage, other, List.of("n2"))).isFalse();
        assertThat(shown.covers(another, range, List.of("n2"))).isFalse();
        AcceptedLoss more =
                new AcceptedLoss(damage.file(), List.of(range), newest, List.of("n2", "n4"), "");
        assertThat(more.name()).isNotEqualTo(shown.name());
    }

    @Test
    void eachEntryHasToHaveASoundMember() {
        MemberState all = hasAllUpTo(NEWEST + 1);
        assertThat(objection(List.of(n2, n3), Map.of(n4, all, n5, all), 3))
                .startsWith("3 members are damaged in the same keys");
        assertThat(objection(List.of(n2, n3), Map.of(n4, all, n5, all), 4)).isNull();
        assertThat(objection(List.of(n2), Map.of(n3, all), 2)).isNotNull();
        assertThat(objection(List.of(n2), Map.of(), 2)).isNotNull();
    }
}
