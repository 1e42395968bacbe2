package dev.quorate.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.health.PeerHealth;
import dev.quorate.router.message.MemberState.Condition;
import dev.quorate.router.message.PeerStanding;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node reports of itself, as transcripts. */
final class NodeWatchTest extends PagesOfANode {

    private NodeWatch watch = watch();
    private long seen;

    private NodeWatch watch() {
        return new NodeWatch(view(), Duration.ofSeconds(10));
    }

    /** What is reported at the next check. */
    private List<String> next() {
        watch.check();
        List<String> reported =
                events.since(seen).stream()
                        .map(event -> event.level() + " " + event.text())
                        .toList();
        seen = events.last();
        return reported;
    }

    @BeforeEach
    void starts() {
        assertThat(next())
                .contains(
                        "INFO n1 serves reads and writes",
                        "WARN Requests refused, because too many were under way: 5",
                        "WARN Reads that too few replicas answered: 3",
                        "WARN Writes that too few replicas answered: 4",
                        "WARN Hints dropped (limit): 804");
        assertThat(next()).isEmpty();
    }

    @Test
    void aNodeThatCannotTakeWritesSaysWhyOnce() {
        voters = 1;
        assertThat(next())
                .containsExactly(
                        "WARN n1 takes no writes: 1 of 3 members are up and vote, 2 needed for"
                                + " writes");
        assertThat(next()).isEmpty();
        voters = 2;
        assertThat(next()).containsExactly("INFO n1 serves reads and writes");
    }

    @Test
    void aDiskBecomesFullAndHasSpaceAgain() {
        values.put(FREE_DISK, (double) (RESERVED - 1));
        assertThat(next())
                .singleElement()
                .asString()
                .startsWith("ERROR The disk is full, and n1 takes no writes: ");
        values.merge(FREE_DISK, -1.0, Double::sum);
        assertThat(next()).isEmpty();
        values.put(FREE_DISK, (double) RESERVED);
        assertThat(next()).containsExactly("INFO n1 serves reads and writes");
    }

    @Test
    void aMemberThatDoesNotVoteSaysWhy() {
        membership = membership(Condition.REBUILDING);
        watch = watch();
        assertThat(next())
                .anyMatch(text -> text.startsWith("WARN n1 takes no writes: it lost what it had"));
    }

    @Test
    void aNodeThatStopsReportsNothing() {
        drain.stop();
        voters = 1;
        assertThat(next()).isEmpty();
    }

    private void clock(long aheadMillis) {
        PeerHealth n2 = peers.getFirst();
        peers =
                List.of(
                        new PeerHealth(
                                n2.member(),
                                PeerStanding.UP,
                                n2.sinceMillis(),
                                "",
                                true,
                                0,
                                0,
                                0,
                                0,
                                aheadMillis,
                                n2.exchangeTimes(),
                                n2.queueTimes()));
    }

    @Test
    void aClockIsReportedOnceUntilItIsRightAgain() {
        clock(-5_000);
        assertThat(next())
                .containsExactly(
                        "WARN The clock of n2 is 5 s behind this node's; 10 s are allowed");
        clock(2_500);
        assertThat(next()).isEmpty();
        clock(2_499);
        assertThat(next()).containsExactly("INFO The clock of n2 agrees with this node's again");
    }

    @Test
    void countersAreReportedOnceAMinuteAtMost() {
        values.put(REFUSED, 10.0);
        for (int second = 2; second < 60; second++) {
            assertThat(next()).isEmpty();
        }
        values.put(REFUSED, 1_005.0);
        assertThat(next())
                .containsExactly("WARN Requests refused, because too many were under way: 1000");
    }
}
