package dev.quorate.router.coordinator.conditional;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.conditional.Current;
import dev.quorate.router.coordinator.operation.OwnedKey;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever waits is answered with what was there since it came, and with nothing from before. */
class WaitingWritesTest {

    private static final byte[] BYTES = "key".getBytes(US_ASCII);
    private static final OwnedKey KEY = new OwnedKey(BYTES, 3);
    private static final Current OLD = value(1);
    private static final Current MADE = value(2);

    private final List<Consumer<@Nullable Current>> reads = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private final WaitingWrites waiting =
            new WaitingWrites((key, spec, found) -> reads.add(found), time, time);
    private final List<Write> answered = new ArrayList<>();
    private final List<Write> added = new ArrayList<>();

    private static Current value(int version) {
        return new Current(Timestamp.of(version, 0, 1), BYTES, Entry.NEVER, 3, null);
    }

    private final class Write implements WaitingWrites.Waiting {
        private final List<Current> judgedBy = new ArrayList<>();

        Write() {
            added.add(this);
            waiting.add(KEY, this);
        }

        @Override
        public QuorumSpec spec() {
            return new QuorumSpec(2, 3);
        }

        @Override
        public boolean refuse(Current current) {
            judgedBy.add(current);
            return !current.equals(OLD);
        }

        @Override
        public void answer() {
            answered.add(this);
            waiting.remove(KEY, this);
        }
    }

    private void found(@Nullable Current current) {
        reads.removeFirst().accept(current);
    }

    @AfterEach
    void nothingStays() {
        added.forEach(each -> waiting.remove(KEY, each));
        assertThat(waiting.keys()).isZero();
    }

    @Test
    void whoeverCameBeforeTheProposalIsJudgedByWhatItMade() {
        Write early = new Write();
        waiting.proposing(KEY);
        waiting.ended(KEY, MADE);
        assertThat(early.judgedBy).containsExactly(MADE);
        assertThat(reads).isEmpty();
    }

    /** When it came, something newer may have been acknowledged already. */
    @Test
    void whoeverCameAfterTheProposalIsNot() {
        waiting.proposing(KEY);
        Write late = new Write();
        waiting.ended(KEY, MADE);
        assertThat(late.judgedBy).isEmpty();
        found(value(3));
        assertThat(late.judgedBy).containsExactly(value(3));
    }

    @Test
    void unlessItHasSeenAnOlderVersionSince() {
        waiting.proposing(KEY);
        Write late = new Write();
        Write later = new Write();
        found(OLD);
        assertThat(late.judgedBy).containsExactly(OLD);
        assertThat(later.judgedBy).as("that read began before it came").isEmpty();
        found(OLD);
        waiting.ended(KEY, MADE);
        assertThat(late.judgedBy).containsExactly(OLD, MADE);
        assertThat(later.judgedBy).containsExactly(OLD, MADE);
        assertThat(reads).isEmpty();
    }

    @Test
    void norIfTheReadHasFailedOrFoundWhatWasMade() {
        waiting.proposing(KEY);
        Write late = new Write();
        found(null);
        Write later = new Write();
        found(MADE);
        waiting.ended(KEY, MADE);
        assertThat(late.judgedBy).containsExactly(MADE);
        assertThat(later.judgedBy).containsExactly(MADE);
    }

    @Test
    void aWriteThatMadeNothingAnswersNobody() {
        Write early = new Write();
        waiting.proposing(KEY);
        waiting.ended(KEY, null);
        assertThat(early.judgedBy).isEmpty();
        waiting.ended(KEY, MADE);
        assertThat(early.judgedBy).as("it has not proposed").isEmpty();
    }

    @Test
    void whoeverHasGoneIsNotJudgedByWhatIsMadeLater() {
        Write gone = new Write();
        waiting.remove(KEY, gone);
        waiting.proposing(KEY);
        waiting.ended(KEY, MADE);
        assertThat(gone.judgedBy).isEmpty();
    }

    private void make(Current current) {
        waiting.proposing(KEY);
        waiting.ended(KEY, current);
    }

    /** Of as many as come again one succeeds. */
    @Test
    void ofThoseThatAreRefusedEachWriteReleasesTwo() {
        List<Write> writes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            writes.add(new Write());
        }
        make(MADE);
        assertThat(answered).isEqualTo(writes.subList(0, 2));
        make(value(3));
        assertThat(answered).isEqualTo(writes.subList(0, 4));
        assertThat(writes.get(3).judgedBy).containsExactly(MADE, value(3));
        make(value(4));
        assertThat(answered).isEqualTo(writes);
    }

    @Test
    void whileNoWriteFollowsTwiceAsManyAreReleasedEachTime() {
        for (int i = 0; i < 100; i++) {
            new Write();
        }
        make(MADE);
        List<Integer> released = new ArrayList<>();
        while (answered.size() < 100) {
            released.add(answered.size());
            time.advance(WaitingWrites.SHORTEST_PAUSE);
        }
        assertThat(released).containsExactly(2, 6, 14, 30, 62);
    }

    @Test
    void whatOthersHaveFoundAlreadyReleasesNobodyMore() {
        waiting.proposing(KEY);
        for (int i = 0; i < 4; i++) {
            new Write();
        }
        found(value(7));
        assertThat(answered).hasSize(1);
        found(value(7));
        assertThat(answered).hasSize(1);
        time.advance(WaitingWrites.SHORTEST_PAUSE);
        assertThat(answered).hasSize(4);
        waiting.ended(KEY, null);
    }
}
