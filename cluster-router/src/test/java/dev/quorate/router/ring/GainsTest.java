package dev.quorate.router.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.Sets;
import dev.quorate.router.Topologies;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Who gains keys from whom. */
class GainsTest {

    private final Random random = new Random(7);

    private static Placement placement(Topology topology) {
        return Placement.of(topology, new Ring(topology.before()));
    }

    /** A joint epoch, in which some members join and some leave. */
    private static Topology joint(int size, Set<Integer> joins, Set<Integer> leaves) {
        Topology all = Topologies.numbered(size).in(new UUID(1, 2));
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Member.Part part =
                    joins.contains(i)
                            ? Member.Part.JOINS
                            : leaves.contains(i) ? Member.Part.LEAVES : Member.Part.STAYS;
            members.add(all.members().get(i).as(part));
        }
        return all.next(members);
    }

    /** Each pair that some keys show, for each number of owners. */
    private Map<Member, Set<Member>> gainsOfSomeKeys(Placement placement) {
        Map<Member, Set<Member>> gains = new HashMap<>();
        int most = placement.before().topology().size();
        for (int i = 0; i < 20_000; i++) {
            byte[] key = Topologies.randomKey(random);
            int from = 1 + i % most;
            Set<Member> losing = new HashSet<>(placement.before().replicas(key, from));
            Set<Member> gaining = new HashSet<>(placement.after().replicas(key, from));
            gaining.removeAll(placement.before().replicas(key, from));
            losing.removeAll(placement.after().replicas(key, from));
            for (Member each : gaining) {
                gains.computeIfAbsent(each, none -> new HashSet<>()).addAll(losing);
            }
        }
        return gains;
    }

    /** If nobody gained keys, a read of two of three could still miss a write of three of five. */
    @Test
    void allHaveAllIfKeysGetMoreOrFewerCopies() {
        Topology five = Topologies.numbered(5).in(new UUID(1, 2));
        Set<Member> all = Set.copyOf(five.members());
        for (int factor : List.of(1, 5)) {
            Map<Member, Set<Member>> gains = placement(five.next(five.members(), factor)).gains();
            assertThat(gains.keySet()).isEqualTo(all);
            gains.forEach(
                    (member, others) ->
                            assertThat(others).isEqualTo(Sets.difference(all, Set.of(member))));
        }
    }

    /** By counting keys: each gained key comes from an owner that loses it, if one is not lost. */
    @Test
    void theMovesAreThoseOfTheKeys() {
        Topology five = Topologies.numbered(5).in(new UUID(1, 2));
        List<Member> lost = new ArrayList<>(five.members());
        lost.set(1, lost.get(1).as(Member.Part.LOST));
        for (Topology each :
                List.of(
                        joint(4, Set.of(3), Set.of()),
                        joint(6, Set.of(5), Set.of(0)),
                        five.next(lost),
                        five.next(five.members(), 5))) {
            Placement placement = placement(each);
            Map<Member, Map<Member, Double>> counted = new HashMap<>();
            int keys = 50_000;
            for (int i = 0; i < keys; i++) {
                byte[] key = Topologies.randomKey(random);
                List<Member> old = placement.before().replicas(key, 3);
                List<Member> next =
                        placement.after().replicas(key, placement.after().effectiveFrom(0));
                List<Member> senders = new ArrayList<>(old);
                senders.removeIf(one -> lost.get(1).equals(one) && each.equals(five.next(lost)));
                Member source =
                        senders.stream()
                                .filter(one -> !next.contains(one))
                                .findFirst()
                                .orElse(senders.getFirst());
                for (Member gainer : next) {
                    if (!old.contains(gainer)) {
                        counted.computeIfAbsent(gainer, _ -> new HashMap<>())
                                .merge(source, 1.0 / keys, Double::sum);
                    }
                }
            }
            Map<Member, Map<Member, Double>> moves = placement.moves();
            assertThat(moves.keySet()).isEqualTo(counted.keySet());
            moves.forEach(
                    (gainer, sources) -> {
                        assertThat(sources.keySet()).isEqualTo(counted.get(gainer).keySet());
                        sources.forEach(
                                (source, fraction) ->
                                        assertThat(counted.get(gainer).get(source))
                                                .isCloseTo(fraction, within(0.01)));
                    });
        }
        assertThat(placement(five).moves()).isEmpty();
    }

    @RepeatedTest(3)
    void theGainsAreThoseOfItsKeys() {
        for (Topology each :
                List.of(
                        joint(4, Set.of(3), Set.of()),
                        joint(5, Set.of(1, 3), Set.of()),
                        joint(4, Set.of(3), Set.of(0)),
                        joint(6, Set.of(0, 5), Set.of(2, 3)))) {
            Placement placement = placement(each);
            assertThat(placement.gains()).isEqualTo(gainsOfSomeKeys(placement));
        }
    }

    /**
     * If one member joins or leaves, each key has one that loses it; if two do, it may have two.
     */
    @Test
    void aKeyIsLostOnceIfOneMemberJoinsOrLeaves() {
        assertThat(placement(joint(4, Set.of(3), Set.of())).isLostOnce()).isTrue();
        assertThat(placement(joint(5, Set.of(1, 3), Set.of())).isLostOnce()).isFalse();
        assertThat(placement(joint(4, Set.of(), Set.of(1))).isLostOnce()).isTrue();
        assertThat(placement(joint(5, Set.of(), Set.of(1, 2))).isLostOnce()).isFalse();
        Topology five = Topologies.numbered(5).in(new UUID(1, 2));
        assertThat(placement(five.next(five.members(), 5)).isLostOnce()).isFalse();
        assertThat(placement(five).isLostOnce()).isFalse();
    }

    @Test
    void losersAreDividedAmongGainers() {
        assertThat(placement(joint(4, Set.of(3), Set.of())).losersForEachGainer()).isEqualTo(1);
        assertThat(placement(joint(5, Set.of(), Set.of(1))).losersForEachGainer())
                .isEqualTo(1 / 4.0);
        assertThat(placement(Topologies.numbered(5)).losersForEachGainer()).isEqualTo(1);
    }

    /** An entry may have had more owners than there are members after the change. */
    @Test
    void ifMembersBecomeFewerEachGainsFromThoseThatLeave() {
        Placement placement = placement(joint(5, Set.of(), Set.of(1, 2)));
        List<Member> all = placement.topology().members();
        Map<Member, Set<Member>> gains = placement.gains();
        assertThat(gains).hasSize(3).doesNotContainKeys(all.get(1), all.get(2));
        Map<Member, Set<Member>> counted = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            byte[] key = Topologies.randomKey(random);
            int from = 1 + i % 5;
            List<Member> old = placement.before().replicas(key, from);
            List<Member> next = placement.after().replicas(key, Math.min(from, 3));
            for (Member gainer : next) {
                for (Member loser : old) {
                    if (!next.contains(loser) && (from > 3 || !old.contains(gainer))) {
                        counted.computeIfAbsent(gainer, _ -> new HashSet<>()).add(loser);
                    }
                }
            }
        }
        assertThat(gains).isEqualTo(counted);
    }

    @Test
    void withoutAChangeNobodyGains() {
        assertThat(placement(Topologies.numbered(5)).gains()).isEmpty();
    }
}
