package dev.quorate.node.antientropy;

import static dev.quorate.router.background.JobTranscript.store;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.Topologies;
import dev.quorate.router.background.JobTranscript;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.ring.Ring;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Damage;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The healing of a table on n1, of three members, as {@linkplain JobTranscript scripts}. The table
 * is damaged from b to f and from p on, and has nothing newer than 50.
 */
class DamageFetchTest {

    private final Topology topology = Topology.parse("n1=http://a:1,n2=http://b:1,n3=http://c:1");
    private final Ring ring = new Ring(topology);
    private final MemoryStore own = new MemoryStore();
    private final List<KeyRange> ranges =
            List.of(new KeyRange(key("b"), key("f")), new KeyRange(key("p"), null));
    private @Nullable DamageFetch made;

    private static byte[] key(String text) {
        return text.getBytes(UTF_8);
    }

    private DamageFetch fetch(List<KeyRange> damaged) {
        List<Replica> peers =
                List.of(
                        JobTranscript.replica(topology.members().get(1)),
                        JobTranscript.replica(topology.members().get(2)));
        DamageFetch fetch =
                new DamageFetch(
                        new Damage("000007.sst", damaged, Timestamp.of(50, 0, 0)),
                        peers,
                        new CommonOwnership(
                                Topologies.placement(ring),
                                topology.members().getFirst(),
                                topology.members().getFirst()),
                        own,
                        new FixedProgress(),
                        null);
        made = fetch;
        return fetch;
    }

    private DamageFetch fetch() {
        return Objects.requireNonNull(made);
    }

    private void assertSteps(String script) {
        assertSteps(ranges.subList(0, 1), script);
    }

    private void assertSteps(List<KeyRange> damaged, String script) {
        new JobTranscript<>(fetch(damaged), own, this::take).assertSteps(script);
    }

    private void take(String event) {
        switch (event) {
            case "this node cannot read" -> own.failReads(new StorageException.Io(event, null));
            case "this node can read" -> own.failReads(null);
            case "the loss is accepted" -> fetch().accept(Objects.requireNonNull(fetch().loss()));
            default -> throw new IllegalArgumentException(event);
        }
    }

    @Test
    void eachPeerSendsEachRange() {
        assertSteps(
                ranges,
                """
                begin
                    ask n2 for all from b to f
                n2 sends b5 c6
                    write b5 c6
                written
                    ask n3 for all from b to f
                n3 sends c7
                    write c7
                written
                    ask n2 for all from p
                n2 sends
                    write nothing
                written
                    ask n3 for all from p
                n3 sends z9
                    write z9
                written
                    end
                """);
        assertThat(fetch().written()).isEqualTo(4);
    }

    @Test
    void theFirstPeersPageIsTheWindow() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends b5 c6, and has more
                    write b5 c6
                written
                    ask n3 for all from b to c+
                n3 sends b4, and has more
                    write b4
                written
                    ask n3 for all from b+ to c+
                n3 sends c6
                    write c6
                written
                    ask n2 for all from c+ to f
                n2 sends
                    write nothing
                written
                    ask n3 for all from c+ to f
                n3 sends e9
                    write e9
                written
                    end
                """);
    }

    @Test
    void aPeerThatDoesNotAnswerIsAskedAgainWithAGrowingPauseForEver() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for all from b to f
                n2 fails UNREACHABLE
                    pause for 1000 ms
                after the pause
                    ask n2 for all from b to f
                n2 fails BREAKER_OPEN
                    pause for 2000 ms
                after the pause
                    ask n2 for all from b to f
                n2 sends b5
                    write b5
                written
                    ask n3 for all from b to f
                n3 fails TIMEOUT
                    pause for 500 ms
                """);
        assertThat(fetch().waitsFor()).isEqualTo("n3: no answer in time: it is so");
    }

    @Test
    void aFailedWriteIsRetried() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends b5
                    write b5
                not written DISK_FULL
                    pause for 500 ms
                after the pause
                    write b5
                """);
        assertThat(fetch().waitsFor()).isEqualTo("n1: it is so");
    }

    // ---- Entries that only this node has.

    @Test
    void anEntryThatNoOtherMemberHasWasDeleted() {
        store(own, "c6 d40 -e3");
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends
                    write nothing
                written
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                written
                    ask n2 for its state
                n2 is whole, gc 10
                    ask n3 for its state
                n3 is whole, gc 7
                    write -c6
                written
                    end
                """);
    }

    @Test
    void nothingIsConcludedWhileAMemberHasLostItsDisk() {
        store(own, "c6");
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends
                    write nothing
                written
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                written
                    ask n2 for its state
                n2 is whole, gc 10
                    ask n3 for its state
                n3 is rebuilding, gc 10
                    end
                """);
    }

    @Test
    void statesAreAskedForAgainTogether() {
        store(own, "c6");
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends
                    write nothing
                written
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                written
                    ask n2 for its state
                n2 is whole, gc 10
                    ask n3 for its state
                n3 fails TIMEOUT
                    pause for 500 ms
                after the pause
                    ask n2 for its state
                n2 is whole, gc 10
                    ask n3 for its state
                n3 is whole
                    write -c6
                not written FAILED
                    pause for 1000 ms
                after the pause
                    ask n2 for its state
                """);
    }

    @Test
    void aStoreThatCannotBeReadIsTriedAgain() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 sends
                    write nothing
                written
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                this node cannot read
                written
                    pause for 500 ms
                this node can read
                after the pause
                    end
                """);
    }

    // ---- Members that are damaged in the same keys.

    @Test
    void aDamagedPeerIsReadAroundIfTheOthersAreCompleteFromThatTime() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 fails CORRUPT
                    ask n3 for all from b to f
                n3 sends b5
                    write b5
                written
                    ask n2 for its state
                n2 is whole
                    ask n3 for its state
                n3 is whole, complete 51
                    ask n2 for what is readable from b to f
                n2 sends c6
                    write c6
                written
                    ask n2 for its state
                n2 is whole
                    ask n3 for its state
                n3 is whole, gc 5
                    write nothing
                written
                    end
                """);
        assertThat(fetch().concession()).startsWith("n2 is damaged in the same keys.");
    }

    @Test
    void otherwiseItWaitsUntilThePeerIsHealed() {
        assertSteps(
                """
                begin
                    ask n2 for all from b to f
                n2 fails CORRUPT
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                written
                    ask n2 for its state
                n2 is whole
                    ask n3 for its state
                n3 is whole, complete 50
                    pause for 500 ms
                after the pause
                    ask n2 for all from b to f
                n2 sends c6
                    write c6
                written
                    end
                """);
        assertThat(fetch().loss()).as("the loss is averted").isNull();
    }

    @Test
    void orUntilAPersonAcceptsTheLoss() {
        assertSteps(
                ranges,
                """
                begin
                    ask n2 for all from b to f
                n2 fails CORRUPT
                    ask n3 for all from b to f
                n3 sends
                    write nothing
                written
                    ask n2 for its state
                n2 is whole
                    ask n3 for its state
                n3 is whole
                    pause for 500 ms
                the loss is accepted
                after the pause
                    ask n2 for all from b to f
                n2 fails CORRUPT
                    ask n2 for its state
                n2 is whole
                    ask n3 for its state
                n3 is whole
                    ask n2 for what is readable from b to f
                n2 fails CORRUPT
                    pause for 500 ms
                after the pause
                    ask n2 for what is readable from b to f
                n2 sends
                    write nothing
                written
                    ask n2 for all from p
                """);
        assertThat(fetch().concession()).startsWith("it was accepted that entries of 2 ranges");
    }

    @Test
    void theLossContainsTheRangesStillToBeFetched() {
        assertSteps(
                ranges,
                """
                begin
                    ask n2 for all from b to f
                n2 fails CORRUPT
                    ask n3 for all from b to f
                n3 fails CORRUPT
                    ask n2 for its state
                n2 is whole, complete 51
                    ask n3 for its state
                n3 is whole, complete 51
                    pause for 500 ms
                """);
        AcceptedLoss loss = Objects.requireNonNull(fetch().loss());
        assertThat(loss.ranges()).isEqualTo(ranges);
        assertThat(loss.damagedAlike()).containsExactly("n2", "n3");
        assertThat(loss.why()).startsWith("3 members are damaged in the same keys");
    }
}
