package dev.quorate.router.replica;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.clock.HybridClock;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Proposal;
import dev.quorate.router.conditional.Question;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import dev.quorate.storage.StorageException;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a replica knows to be superseded, after the tombstone that superseded it was dropped. */
class RecordNotesTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Member MEMBER = new Member("n1", URI.create("http://localhost:8080"));
    private static final Duration SLACK = Duration.ofHours(3);

    private final ManualTime time = new ManualTime();
    private final MemoryStore data = new MemoryStore();
    private final MemoryStore records = new MemoryStore();
    private final List<RecordNote> notes = new ArrayList<>();
    private long watermarkMillis;
    private LocalReplica replica = replica();

    private LocalReplica replica() {
        Horizon horizon =
                new Horizon() {
                    @Override
                    public long gcWatermarkMillis() {
                        return watermarkMillis;
                    }

                    @Override
                    public long oldestWriteMillis(long nowMillis) {
                        return nowMillis - SLACK.toMillis();
                    }
                };
        return new LocalReplica(
                        MEMBER,
                        data,
                        HybridClock.volatileClock(time, 1, Duration.ofSeconds(1)),
                        time,
                        new Deadlines(time, time),
                        Runnable::run,
                        new MemberServices(
                                Runnable::run,
                                PlainReplica.NO_PEERS,
                                key -> ReplicaAnswer.Absent.ABSENT,
                                horizon))
                .withRecords(
                        records,
                        MemoryStore.both(records, data),
                        SLACK.plusMinutes(10),
                        Duration.ofSeconds(1),
                        new LiveTopology(Topology.parse("n1=http://a:1")));
    }

    private Timestamp now() {
        return Timestamp.of(time.wallMillis(), 0, 2);
    }

    private ReplicaAnswer ask(Question question) {
        List<ReplicaAnswer> answers = new ArrayList<>();
        replica.ask(
                new ReplicaRequest.ToAcceptor(KEY, 3, question),
                time.nanos() + 1_000_000_000,
                answers::add);
        return answers.getFirst();
    }

    private ReplicaAnswer acceptAfter(Timestamp base) {
        time.advanceMillis(1_000);
        Timestamp result = base.withStep(now().hybrid());
        Current value = new Current(result, KEY, Entry.NEVER, 3, null);
        return ask(
                new Question.Accept(
                        now(),
                        new Proposal(now(), false, base, true, false, result, value, 0),
                        false));
    }

    private void accepted(Timestamp base) {
        assertThat(((ReplicaAnswer.FromAcceptor) acceptAfter(base)).answer())
                .isEqualTo(AcceptorAnswer.Done.DONE);
    }

    private AcceptorAnswer.@Nullable Promised promised() {
        time.advanceMillis(1_000);
        return ask(new Question.Prepare(now(), Set.of(), Timestamp.ZERO))
                        instanceof
                        ReplicaAnswer.FromAcceptor(var key, AcceptorAnswer.Promised promised)
                ? promised
                : null;
    }

    /** A tombstone with this root, which may arrive late. */
    private void delete(Timestamp version) {
        data.put(Entry.tombstone(KEY, version, 3));
    }

    private void note() {
        replica.note(KEY, 3, notes::add);
    }

    private void raiseWatermark(Timestamp past) {
        watermarkMillis = past.wallMillis() + 1;
        data.collectTombstones(past);
    }

    /** The tombstone is older than the value's step, and so is dropped while the value may come. */
    @Test
    void whatATombstoneHasSupersededIsNotShownOnceThatIsDropped() {
        Timestamp nothing = now();
        time.advanceMillis(1_000);
        Timestamp late = now();
        accepted(nothing);
        delete(late);
        note();
        raiseWatermark(late);
        assertThat(promised().pending()).isNull();
        assertThat(promised().entry()).isEqualTo(Current.NOTHING);
        note();
        assertThat(notes).containsExactly(RecordNote.DECIDED, RecordNote.DECIDED);
    }

    @Test
    void aNoteLeavesWhatMayStillComeAndWhatIsAcceptedAfterIt() {
        Timestamp nothing = now();
        accepted(nothing);
        note();
        assertThat(notes).containsExactly(RecordNote.UNDECIDED);
        assertThat(promised().pending()).isNotNull();
        delete(now());
        note();
        time.advanceMillis(1_000);
        accepted(now());
        assertThat(promised().pending()).isNotNull();
        note();
        assertThat(notes).endsWith(RecordNote.DECIDED, RecordNote.UNDECIDED);
    }

    @Test
    void aNoteThatCannotBeStoredFails() {
        accepted(now());
        time.advanceMillis(1_000);
        delete(now());
        records.failWrites(new StorageException.Io("no disk", null));
        note();
        records.failWrites(null);
        data.failReads(new StorageException.Io("no disk", null));
        note();
        data.failReads(null);
        note();
        assertThat(notes).containsExactly(RecordNote.FAILED, RecordNote.FAILED, RecordNote.DECIDED);
    }

    /** Others are complete up to the watermark: it is no entry anywhere, and never will be. */
    @Test
    void whatIsOlderThanTheWatermarkIsNotShown() {
        accepted(now());
        assertThat(promised().pending()).isNotNull();
        time.advance(SLACK);
        assertThat(promised().pending()).as("until it is agreed").isNotNull();
        watermarkMillis = time.wallMillis() - SLACK.toMillis() + 60_000;
        assertThat(promised().pending()).isNull();
    }

    @Test
    void aValueSoOldThatOthersMayLackItForGoodIsNotAccepted() {
        Timestamp nothing = now();
        Timestamp result = nothing.withStep(now().hybrid() + 1);
        Current value = new Current(result, KEY, Entry.NEVER, 3, null);
        Proposal proposal = new Proposal(now(), false, nothing, true, false, result, value, 0);
        time.advance(SLACK.minusMillis(500));
        assertThat(ask(new Question.Accept(now(), proposal, false)).failure().reason())
                .isEqualTo(Failure.TOO_OLD);
    }

    /** Whoever finishes an undecided value asks whether its write was denied, however old it is. */
    @Test
    void underItsPromiseAReplicaAnswersAboutAWriteThatIsTooOldToRetry() {
        Timestamp origin = now();
        time.advance(SLACK.plusMillis(1));
        Timestamp ballot = now();
        assertThat(ask(new Question.Prepare(ballot, Set.of(), origin)).failure().reason())
                .isEqualTo(Failure.TOO_OLD);
        for (Timestamp asked : new Timestamp[] {Timestamp.ZERO, origin}) {
            assertThat(ask(new Question.Prepare(ballot, Set.of(), asked)))
                    .isInstanceOf(ReplicaAnswer.FromAcceptor.class);
        }
    }

    /** What superseded the value may have been damaged here, and dropped by all others. */
    @Test
    void afterHealingNoVoteIsGivenWhereADroppableBaseMayHaveBeenSucceeded() {
        accepted(now());
        time.advanceMillis(1_000);
        List<Boolean> noted = new ArrayList<>();
        replica.noteHealing(noted::add);
        assertThat(noted).containsExactly(true);
        assertThat(promised()).isNull();
        replica = replica();
        assertThat(promised()).as("after a restart").isNull();
        delete(now());
        assertThat(promised()).as("it is superseded").isNotNull();
        time.advanceMillis(1_000);
        accepted(now());
        assertThat(promised()).as("accepted since").isNotNull();
    }
}
