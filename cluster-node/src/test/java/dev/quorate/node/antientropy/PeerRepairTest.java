package dev.quorate.node.antientropy;

import static dev.quorate.router.background.JobTranscript.store;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.antientropy.PeerRepairStatus.Phase;
import dev.quorate.router.Topologies;
import dev.quorate.router.background.JobTranscript;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.StorageException;
import org.junit.jupiter.api.Test;

/** A repair of n1 with n2, of three members, as {@linkplain JobTranscript scripts}. */
class PeerRepairTest {

    private static final int SALT = 7;

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private final Member self = topology.members().getFirst();
    private final Member peer = topology.members().get(1);
    private final CommonOwnership ownership =
            new CommonOwnership(Topologies.placement(new Ring(topology)), self, peer);
    private final MemoryStore own = new MemoryStore();
    private final RangeReader reader = new RangeReader(own, ownership, new ManualTime(), SALT);
    private final PeerRepair repair =
            new PeerRepair(
                    self.number(),
                    JobTranscript.replica(peer),
                    ownership,
                    new FixedProgress(),
                    reader,
                    new Comparison(reader, new SharedWalk(), self.number(), SALT),
                    2_000);

    private void assertSteps(String script) {
        new JobTranscript<>(repair, own, this::take).assertSteps(script);
    }

    private void take(String event) {
        switch (event) {
            case "this node cannot read" -> own.failReads(new StorageException.Io(event, null));
            case "a newer entry is written here, a9" -> store(own, "a9");
            default -> throw new IllegalArgumentException(event);
        }
    }

    private PeerRepairStatus status() {
        return repair.status(PeerRepairStatus.none("n2"), 0, 0);
    }

    @Test
    void membersWithTheSameEntriesAgree() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 has the same
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.AGREED);
        assertThat(repair.startedMillis()).as("by the slower clock").isEqualTo(1_000);
    }

    @Test
    void missingEntriesArePushedOrPulled() {
        store(own, "a5 b6");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists b6 c7
                    send n2 a5
                    ask n2 for c
                n2 stored
                n2 holds c7
                    write c7
                written
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.AGREED);
        assertThat(status().differing()).isEqualTo(2);
        assertThat(status().pushed()).isEqualTo(1);
        assertThat(status().pulled()).isEqualTo(1);
    }

    @Test
    void theNewerOfTwoReplacesTheOlder() {
        store(own, "a5 b9");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists a8 b6
                    ask n2 for a
                    send n2 b9
                n2 holds a8
                    write a8
                n2 stored
                written
                    end
                """);
    }

    @Test
    void aPeerThatHasSomethingNewerMeanwhileIsAskedForIt() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists
                    send n2 a5
                n2 stored, and holds 8
                    ask n2 for a
                n2 holds a8
                    write a8
                written
                    end
                """);
    }

    @Test
    void anEntryThatIsNewerByNowStays() {
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists a8
                    ask n2 for a
                a newer entry is written here, a9
                n2 holds a8
                    end
                """);
    }

    @Test
    void tombstonesFromBeforeTheWatermarkAreNotCompared() {
        store(own, "-a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole, gc 6
                    ask n2 to compare from the start
                n2 has the same
                    end
                """);
        assertThat(status().compared()).isZero();
    }

    // ---- Failures.

    @Test
    void aPeerThatFailsFourTimesInARowEndsTheRepair() {
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 fails UNREACHABLE
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.FAILED);
        assertThat(status().detail()).isEqualTo("unreachable: it is so");
    }

    @Test
    void anEntryThatWasNotTakenIsSentAgain() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists
                    send n2 a5
                n2 fails OVERLOADED
                    pause for 500 ms
                after the pause
                    send n2 a5
                n2 stored
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.AGREED);
        assertThat(status().differing()).as("counted once").isEqualTo(1);
    }

    @Test
    void anEntryThatIsRefusedIsNot() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists
                    send n2 a5
                n2 fails REFUSED
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.INCOMPLETE);
        assertThat(status().refused()).isEqualTo(1);
    }

    @Test
    void aComparisonThatIsNotAnsweredIsAskedForAgain() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to compare from the start
                n2 has the same
                    end
                """);
    }

    @Test
    void unreadableRangesOfThePeerLeaveTheRepairIncomplete() {
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists a8
                    ask n2 for a
                n2 fails CORRUPT
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.INCOMPLETE);
        assertThat(status().detail()).isEqualTo("1 ranges cannot be read");
    }

    @Test
    void failuresWithSuccessesBetweenThemDoNotEndTheRepair() {
        store(own, "a5");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to compare from the start
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to compare from the start
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 to compare from the start
                n2 lists
                    send n2 a5
                n2 fails OVERLOADED
                    pause for 500 ms
                after the pause
                    send n2 a5
                n2 fails OVERLOADED
                    pause for 500 ms
                after the pause
                    send n2 a5
                n2 fails OVERLOADED
                    pause for 500 ms
                after the pause
                    send n2 a5
                n2 stored
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.AGREED);
    }

    @Test
    void aFailedWriteIsFetchedAgain() {
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 lists a8
                    ask n2 for a
                n2 holds a8
                    write a8
                not written OVERLOADED
                    pause for 500 ms
                after the pause
                    ask n2 for a
                n2 holds a8
                    write a8
                written
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.AGREED);
        assertThat(status().pulled()).isEqualTo(1);
    }

    @Test
    void anUndividedRangeThatThePeerCannotReadLeavesTheRepairIncomplete() {
        store(own, "a5 b6 c7");
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                n2 fails CORRUPT
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.INCOMPLETE);
        assertThat(status().unreadable()).isEqualTo(1);
    }

    @Test
    void aStoreThatCannotBeReadEndsTheRepair() {
        assertSteps(
                """
                begin
                    ask n2 for its state
                n2 is whole
                    ask n2 to compare from the start
                this node cannot read
                n2 lists a8
                    end
                """);
        assertThat(status().phase()).isEqualTo(Phase.FAILED);
        assertThat(status().detail()).startsWith("this node's store: ");
    }
}
