package dev.quorate.node.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.node.health.PeerStanding;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node says has happened to it. */
final class ChangesTest {

    private final EventTranscript node = new EventTranscript();

    @BeforeEach
    void starts() {
        assertThat(node.next())
                .containsExactly(
                        "peer-up INFO: n2 is up",
                        "peer-up INFO: n3 is up",
                        "serving INFO: n1 serves reads and writes");
        assertThat(node.next()).isEmpty();
    }

    @Test
    void aPeerThatWasAwayGetsWhatItMissed() {
        n3IsAwayFor9Seconds();
        assertThat(node.next()).isEmpty();
    }

    private void n3IsAwayFor9Seconds() {
        node.peer("n3", PeerStanding.DOWN, "connection refused");
        assertThat(node.next())
                .containsExactly("peer-down WARNING: n3 is down: connection refused");
        node.hints("n3", 5_000, 0);
        assertThat(node.next(8_000)).isEmpty();
        node.peer("n3", PeerStanding.UP, "");
        node.hints("n3", 4_000, 100);
        assertThat(node.next()).containsExactly("peer-up INFO: n3 is up again, after 9 s");
        node.hints("n3", 0, 1_204);
        assertThat(node.next())
                .containsExactly(
                        "hints-sent INFO: n3 was away for 9 s; 1,204 writes were sent to it");
    }

    @Test
    void theNextAbsenceIsCountedAnew() {
        n3IsAwayFor9Seconds();
        node.peer("n3", PeerStanding.DOWN, "late");
        assertThat(node.next()).hasSize(1);
        node.hints("n3", 100, 1_204);
        assertThat(node.next(120_000)).isEmpty();
        node.peer("n3", PeerStanding.UP, "");
        node.hints("n3", 0, 1_205);
        assertThat(node.next())
                .containsExactly(
                        "peer-up INFO: n3 is up again, after 2 min 1 s",
                        "hints-sent INFO: n3 was away for 2 min 1 s; 1 write was sent to it");
    }

    @Test
    void anAbsenceWithoutWritesIsOneEventLess() {
        node.peer("n3", PeerStanding.DOWN, "late");
        assertThat(node.next()).hasSize(1);
        node.peer("n3", PeerStanding.UP, "");
        assertThat(node.next()).containsExactly("peer-up INFO: n3 is up again, after 1.0 s");
        assertThat(node.next()).isEmpty();
    }

    @Test
    void anAbsenceBetweenTwoObservationsIsNoticed() {
        node.peer("n3", PeerStanding.UP, "");
        assertThat(node.next())
                .containsExactly("peer-up INFO: n3 was away for a moment, and is up again");
    }

    @Test
    void hintsOfAnEarlierLifeAreReportedToo() {
        node.hints("n2", 10, 0);
        assertThat(node.next()).isEmpty();
        node.hints("n2", 0, 7);
        assertThat(node.next()).containsExactly("hints-sent INFO: 7 writes were sent to n2");
    }

    @Test
    void membersThatRefuseEachOtherAreAnError() {
        node.peer("n2", PeerStanding.REFUSED, "another secret?");
        assertThat(node.next())
                .containsExactly(
                        "peer-refused ERROR: n2 and this node refuse each other: another secret?");
    }

    @Test
    void aClockIsReportedOnceUntilItIsRightAgain() {
        node.clock("n2", -5_000);
        assertThat(node.next())
                .containsExactly(
                        "clock-off WARNING: The clock of n2 is 5 s behind this node's; 10 s are"
                                + " allowed");
        node.clock("n2", 2_500);
        assertThat(node.next()).isEmpty();
        node.clock("n2", 2_499);
        assertThat(node.next())
                .containsExactly("clock-right INFO: The clock of n2 agrees with this node's again");
    }

    @Test
    void aRepairIsReportedIfItFoundDifferencesOrFailed() {
        node.repair("n2", Phase.RUNNING, 0, 0, 0, "");
        assertThat(node.next()).isEmpty();
        node.repair("n2", Phase.AGREED, 0, 0, 5, "");
        assertThat(node.next()).isEmpty();
        // Begun and ended between two observations.
        node.repair("n2", Phase.AGREED, 12, 9, 6, "");
        assertThat(node.next())
                .containsExactly(
                        "repair-differences INFO: A repair with n2 found 12 keys that differed: 9"
                                + " entries were sent, 0 fetched");
        assertThat(node.next()).isEmpty();
        node.repair("n2", Phase.FAILED, 0, 0, 7, "n2 is down");
        assertThat(node.next())
                .containsExactly(
                        "repair-failed WARNING: The repair with n2 is not complete: n2 is down");
    }

    @Test
    void aRebuildBeginsAndEnds() {
        node.data = new Observation.Data(true, "it lost what it had stored", 0);
        node.whyNotServing = "The node does not vote.";
        assertThat(node.next())
                .containsExactly(
                        "rebuild-begun WARNING: A rebuild of n1 began: it lost what it had stored",
                        "not-serving WARNING: n1 takes no writes: The node does not vote");
        node.data = new Observation.Data(false, "it votes", 12_345);
        node.whyNotServing = null;
        assertThat(node.next(33_000))
                .containsExactly(
                        "rebuild-ended INFO: The rebuild of n1 has ended after 33 s: 12,345"
                                + " entries were copied",
                        "serving INFO: n1 serves reads and writes");
    }

    @Test
    void aNodeThatStopsSaysSoOnce() {
        node.isDraining = true;
        node.whyNotServing = "The node is stopping.";
        assertThat(node.next())
                .containsExactly("node-stopping INFO: n1 is stopping, and takes no new requests");
        assertThat(node.next()).isEmpty();
    }

    @Test
    void aDiskBecomesFullAndHasSpaceAgain() {
        node.free = EventTranscript.RESERVED - 1;
        assertThat(node.next())
                .containsExactly(
                        "disk-full ERROR: The disk is full, and n1 takes no writes: 999 bytes are"
                                + " free, 1,000 are needed");
        assertThat(node.next()).isEmpty();
        node.free = EventTranscript.RESERVED;
        assertThat(node.next())
                .containsExactly("disk-free INFO: The disk has space again: 1,000 bytes are free");
    }

    @Test
    void damageIsFoundAndHealed() {
        node.checksumFailures = 1;
        node.damagedRanges = 2;
        assertThat(node.next())
                .containsExactly(
                        "damage-found ERROR: Data on the disk of n1 is damaged: 2 ranges of keys"
                                + " are to be fetched from other members");
        node.loss = "000012.sst-1-ab";
        assertThat(node.next())
                .containsExactly(
                        "loss-waits ERROR: A healing waits until somebody accepts that entries may"
                                + " be lost: ./quorate repair --accept-loss");
        node.damagedRanges = 0;
        node.healedRanges = 2;
        node.loss = null;
        assertThat(node.next())
                .containsExactly("damage-healed INFO: The damage is healed: 2 ranges of keys");
    }

    @Test
    void countersAreReportedOnceAMinuteAtMost() {
        node.refused = 3;
        assertThat(node.next())
                .containsExactly(
                        "overloaded WARNING: 3 requests were refused, because too many were under"
                                + " way");
        node.refused = 10;
        assertThat(node.next(59_000)).isEmpty();
        node.refused = 1_003;
        assertThat(node.next())
                .containsExactly(
                        "overloaded WARNING: 1,000 requests were refused, because too many were"
                                + " under way");
        assertThat(node.next(60_000)).isEmpty();
        node.failedReads = 1;
        node.dropped("limit", 5);
        node.stallNanos = 3_200_000_000L;
        assertThat(node.next())
                .containsExactly(
                        "hints-dropped WARNING: 5 writes that a member missed are left to repair"
                                + " (limit)",
                        "quorum-failed WARNING: Too few replicas answered 1 read",
                        "writes-stalled WARNING: Writes were held back for 3 s, because flushes or"
                                + " compactions were behind");
    }

    @Test
    void aLongTextIsCut() {
        node.peer("n2", PeerStanding.DOWN, "x".repeat(10_000));
        assertThat(node.next().getFirst()).hasSizeLessThan(450).endsWith("xxx...");
    }
}
