package dev.quorate.node.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which topologies may follow another. */
class ChangeRuleTest {

    private static final URI URL = URI.create("http://d:1");

    private final Topology stable =
            Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1").in(new UUID(1, 2));
    private final Topology joining =
            ChangeRule.withMembers(stable, Map.of("n4", URL), Set.of(), Set.of(), Map.of(), 0);
    private final Topology four = joining.completed();

    private static Topology moved(Topology before, String name) {
        return ChangeRule.withAddresses(before, Map.of(name, URI.create("http://moved:1")));
    }

    @Test
    void aChangeBeginsWithAJointEpochAndEndsWithAStableOne() {
        assertThat(joining.toString())
                .contains("epoch=2;")
                .endsWith("n1=http://a:1,n2=http://b:1,n3=http://c:1,+n4@2=http://d:1");
        assertThat(ChangeRule.refusal(stable, joining)).isNull();
        assertThat(ChangeRule.refusal(joining, four)).isNull();
        assertThat(ChangeRule.refusal(joining, joining.cancelled())).isNull();
        Topology leaving =
                ChangeRule.withMembers(four, Map.of(), Set.of("n2"), Set.of(), Map.of(), 0);
        assertThat(leaving.toString()).contains("-n2=http://b:1");
        assertThat(ChangeRule.refusal(four, leaving)).isNull();
        assertThat(ChangeRule.refusal(leaving, leaving.completed())).isNull();
    }

    @Test
    void aLostMemberIsReplaced() {
        Topology replaced =
                ChangeRule.withMembers(
                        stable, Map.of("n4", URL), Set.of(), Set.of("n2"), Map.of(), 0);
        assertThat(replaced.toString()).contains(",!n2=http://b:1,").endsWith(",+n4@2=http://d:1");
        assertThat(Topology.parseCanonicalText(replaced.toString())).isEqualTo(replaced);
        assertThat(ChangeRule.refusal(stable, replaced)).isNull();
        assertThat(replaced.completed().members())
                .extracting(Member::name)
                .containsExactly("n1", "n3", "n4");
        assertThat(replaced.cancelled().members()).isEqualTo(stable.members());
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        four, Map.of(), Set.of("n2"), Set.of("n2"), Map.of(), 0))
                .withMessage("'n2' either leaves or is lost.");
    }

    @Test
    void theLastMemberOfAZoneStays() {
        Member.Place b = new Member.Place("b", 100);
        Topology zoned =
                ChangeRule.withMembers(four, Map.of(), Set.of(), Set.of(), Map.of("n2", b), 0);
        assertThat(zoned.toString()).contains(",n2>/b=");
        assertThat(ChangeRule.refusal(four, zoned)).isNull();
        Topology inZones = zoned.completed();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        inZones, Map.of(), Set.of("n2"), Set.of(), Map.of(), 0))
                .withMessageContaining("would share a zone");
        Topology lost =
                ChangeRule.withMembers(inZones, Map.of(), Set.of(), Set.of("n2"), Map.of(), 0);
        assertThat(ChangeRule.refusal(inZones, lost)).as("there is no choice").isNull();
        Topology moved =
                ChangeRule.withMembers(
                        inZones, Map.of(), Set.of("n2"), Set.of(), Map.of("n3", b), 0);
        assertThat(ChangeRule.refusal(inZones, moved)).isNull();
    }

    @Test
    void addressesChangeInAnyEpoch() {
        for (Topology each : List.of(stable, joining, four)) {
            assertThat(ChangeRule.refusal(each, moved(each, "n2"))).isNull();
        }
        assertThat(ChangeRule.refusal(joining, moved(joining, "n4"))).isNull();
    }

    @Test
    void nothingElseFollows() {
        assertThat(ChangeRule.refusal(stable, stable)).contains("not the next epoch");
        assertThat(ChangeRule.refusal(stable, four)).contains("not the next epoch");
        Topology other = stable.in(new UUID(3, 4));
        assertThat(ChangeRule.refusal(other, joining)).contains("not an epoch of this cluster");
        assertThat(ChangeRule.refusal(stable, stable.next(four.members())))
                .as("without a joint epoch")
                .contains("does not begin a change");
        Topology second =
                ChangeRule.withMembers(
                        joining.completed(), Map.of(), Set.of("n1"), Set.of(), Map.of(), 0);
        assertThat(ChangeRule.refusal(joining, joining.next(second.members())))
                .as("two changes at once")
                .contains("in progress");
        assertThat(ChangeRule.refusal(joining, joining.next(four.members())))
                .as("its end, which is not recorded as one")
                .contains("in progress");
        assertThat(ChangeRule.refusal(stable, stable.cancelled()))
                .as("no change to end")
                .contains("does not end");
        List<Member> early =
                joining.members().stream()
                        .map(each -> new Member(each.name(), each.url()).as(each.part()))
                        .toList();
        assertThat(ChangeRule.refusal(stable, stable.next(early)))
                .as("a member that was there before")
                .contains("does not begin a change");
    }

    @Test
    void aChangeIsCompletedWhenEachThatGainsKeysHasThem() {
        Member n1 = joining.members().getFirst();
        Member n4 = joining.members().getLast();
        List<Member> gainers = List.of(n1, n4);
        assertThat(ChangeRule.completion(joining, gainers, each -> 2)).isEqualTo(four);
        assertThat(ChangeRule.completion(joining, gainers, each -> each.equals(n4) ? 2 : 0))
                .isNull();
        assertThat(ChangeRule.completion(joining, gainers, each -> each.equals(n4) ? 2 : 1))
                .as("in an earlier epoch")
                .isNull();
        assertThat(ChangeRule.completion(stable, List.of(), each -> 1)).isNull();
    }

    private static Topology copies(Topology before, int factor) {
        return ChangeRule.withMembers(before, Map.of(), Set.of(), Set.of(), Map.of(), factor);
    }

    @Test
    void keysGetMoreOrFewerCopies() {
        Topology more = copies(four, 4);
        assertThat(more.toString()).contains("replication=3>4;");
        assertThat(ChangeRule.refusal(four, more)).isNull();
        assertThat(ChangeRule.refusal(more, more.completed())).isNull();
        Topology moved = moved(more, "n2");
        assertThat(moved.nextFactor()).isEqualTo(4);
        assertThat(ChangeRule.refusal(more, moved)).isNull();
        assertThat(copies(four, 3)).isSameAs(four);
        Topology fewer =
                ChangeRule.withMembers(stable, Map.of(), Set.of("n1"), Set.of(), Map.of(), 2);
        assertThat(fewer.completed().toString()).contains("replication=2;");
        assertThat(ChangeRule.refusal(stable, fewer)).isNull();
        assertThatIllegalArgumentException().isThrownBy(() -> copies(four, 5));
    }

    /** Where all members have each key, new members have it, too, until they are three. */
    @Test
    void aGrowingClusterOfOneGetsThreeCopies() {
        Topology one = Topology.parse("n1=http://a:1").in(new UUID(1, 2));
        Topology two =
                ChangeRule.withMembers(one, Map.of("n2", URL), Set.of(), Set.of(), Map.of(), 0)
                        .completed();
        assertThat(two.replicationFactor()).isEqualTo(2);
        URI other = URI.create("http://e:1");
        Topology three =
                ChangeRule.withMembers(two, Map.of("n3", other), Set.of(), Set.of(), Map.of(), 0)
                        .completed();
        assertThat(three.replicationFactor()).isEqualTo(3);
        Topology at =
                ChangeRule.withMembers(
                        one, Map.of("n2", URL, "n3", other), Set.of(), Set.of(), Map.of(), 0);
        assertThat(at.nextFactor()).isEqualTo(3);
        assertThat(joining.nextFactor()).isEqualTo(3);
        Topology fixed =
                ChangeRule.withMembers(one, Map.of("n2", URL), Set.of(), Set.of(), Map.of(), 1);
        assertThat(fixed.nextFactor()).isEqualTo(1);
    }

    @Test
    void aChangeThatCannotBeIsRefusedInASentence() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        stable, Map.of("n2", URL), Set.of(), Set.of(), Map.of(), 0))
                .withMessage("The cluster has a member 'n2' already.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        four, Map.of(), Set.of("n9"), Set.of(), Map.of(), 0))
                .withMessage("The cluster has no member 'n9'.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        stable, Map.of(), Set.of("n1"), Set.of(), Map.of(), 0))
                .withMessage(
                        "2 members are too few for 3 copies of each key: keep more members, or reduce"
                                + " 'replication' in the same change.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                ChangeRule.withMembers(
                                        stable,
                                        Map.of("n4", URI.create("http://a:1")),
                                        Set.of(),
                                        Set.of(),
                                        Map.of(),
                                        0))
                .withMessageContaining("have the same address");
    }
}
