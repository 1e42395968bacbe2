package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.admin.NodePages.StopRule;
import dev.quorate.node.admin.NodePages.StopRule.Owner;
import dev.quorate.router.message.PeerStanding;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StopRuleTest {

    private static final Owner N2 = new Owner("n2", PeerStanding.UP, true, true, false);

    @Test
    void oneOfThreeMayStopWhileBothOthersVote() {
        Owner n3 = new Owner("n3", PeerStanding.UP, true, true, false);
        assertThat(StopRule.reasonsToStay(3, List.of(N2, n3))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "UNKNOWN, true,  false, false, n3 has not been heard from since this node started.",
        "DOWN,    false, true,  false, n3 is down.",
        "REFUSED, true,  true,  false, n3 and this node refuse each other.",
        "UP,      false, true,  false, 'n3 was down a moment ago, and has not answered a probe"
                + " yet.'",
        "UP,      true,  true,  true,  n3 is stopping.",
        "UP,      true,  false, false, n3 does not vote."
    })
    void itMustStayWhileAnotherCannotStandIn(
            PeerStanding standing, boolean isAsked, boolean votes, boolean isStopping, String why) {
        Owner n3 = new Owner("n3", standing, isAsked, votes, isStopping);
        assertThat(StopRule.reasonsToStay(3, List.of(N2, n3))).containsExactly(why);
        assertThat(StopRule.reasonsToStay(5, List.of(N2, n3, N2, N2)))
                .as("though a majority would remain")
                .containsExactly(why);
    }

    @Test
    void everyReasonIsGiven() {
        Owner n3 = new Owner("n3", PeerStanding.DOWN, false, true, false);
        assertThat(StopRule.reasonsToStay(2, List.of(n3)))
                .containsExactly("Each key has 2 copies, and 2 of them are needed.", "n3 is down.");
    }

    @Test
    void theOnlyOwnerMustStay() {
        assertThat(StopRule.reasonsToStay(1, List.of()))
                .containsExactly("No other node owns the keys of this one.");
    }
}
