package dev.quorate.router.coordinator.conditional;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The numbers that make steps of conditional writes unique. */
final class ConditionalContextTest {

    /** When n1 leaves, n2 gets the index of n1, and n3 that of n2. */
    @Test
    void noMembersHaveTheSamePlaceInFourEpochs() {
        Topology four =
                Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1,n4=http://d:1")
                        .in(new UUID(1, 2));
        List<Integer> places = new ArrayList<>();
        Topology each = four;
        for (int epoch = 1; epoch <= 4; epoch++) {
            for (Member member : each.members()) {
                places.add(ConditionalContext.place(each, member));
            }
            each = each.next(epoch == 2 ? each.members().subList(1, 4) : each.members());
        }
        assertThat(places).hasSize(4 + 4 + 3 + 3).doesNotHaveDuplicates();
        assertThat(places).allMatch(place -> place >= 0 && place < 4 * Topology.MAX_MEMBERS);
    }
}
