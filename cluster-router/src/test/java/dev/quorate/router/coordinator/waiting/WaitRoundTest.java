package dev.quorate.router.coordinator.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.waiting.WaitRound.Step;
import dev.quorate.router.coordinator.waiting.WaitRound.Step.Pause;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import org.junit.jupiter.api.Test;

/** Transcripts of waits: three owners, two of which must answer, unless a test says otherwise. */
class WaitRoundTest {

    private static final byte[] KEY = {1};
    private static final byte[] VALUE = {2};
    private static final long MILLIS = 1_000_000;
    private static final long DEADLINE = 30_000 * MILLIS;
    private static final long WALL = 1_000;
    private static final Timestamp V1 = new Timestamp(100, 1);
    private static final Timestamp V2 = new Timestamp(200, 1);
    private static final ReplicaAnswer DOWN = new Failed(Failure.BREAKER_OPEN, "down");

    private final WaitRound round = new WaitRound(V1::equals, DEADLINE);
    private Electorate owners = Electorate.of(new QuorumSpec(2, 3));
    private int registration = round.begin(owners);
    private long now;

    private static ReplicaAnswer has(Timestamp version) {
        return new ReplicaAnswer.Found(Entry.value(KEY, version, VALUE, 3));
    }

    private Step answer(int owner, ReplicaAnswer answer) {
        return round.answered(registration, owner, answer, now, WALL);
    }

    private void register() {
        registration = round.begin(owners);
    }

    private void becomeIdle() {
        answer(0, has(V1));
        assertThat(answer(1, has(V1))).isEqualTo(new Pause(DEADLINE));
    }

    @Test
    void aQuorumThatAgreesMakesItIdle() {
        assertThat(answer(0, has(V1))).isEqualTo(Step.Simple.REST);
        assertThat(answer(2, has(V1))).isEqualTo(new Pause(DEADLINE));
        assertThat(answer(1, has(V1))).isEqualTo(Step.Simple.REST);
    }

    @Test
    void anOlderAnswerOfAnOwnerThatLagsDoesNotDiffer() {
        answer(0, ReplicaAnswer.Absent.ABSENT);
        assertThat(answer(1, has(V1))).isEqualTo(new Pause(DEADLINE));
    }

    @Test
    void aNewerVersionIsRead() {
        answer(0, has(V1));
        assertThat(answer(1, has(V2))).isEqualTo(Step.Simple.READ);
        assertThat(round.read(false, now)).isEqualTo(Step.Simple.FINISH);
    }

    @Test
    void aLateAnswerWithANewerVersionIsRead() {
        becomeIdle();
        assertThat(answer(2, has(V2))).isEqualTo(Step.Simple.READ);
    }

    @Test
    void anAnswerToAnEarlierRegistrationDoesNotCount() {
        answer(0, has(V1));
        int earlier = registration;
        register();
        assertThat(round.answered(earlier, 1, has(V1), now, WALL)).isEqualTo(Step.Simple.REST);
        assertThat(answer(2, has(V1))).isEqualTo(Step.Simple.REST);
        assertThat(answer(1, has(V1))).isInstanceOf(Pause.class);
    }

    @Test
    void withoutAQuorumItReads() {
        assertThat(answer(0, DOWN)).isEqualTo(Step.Simple.REST);
        assertThat(answer(1, DOWN)).isEqualTo(Step.Simple.READ);
        assertThat(round.read(false, now)).as("a failed read").isEqualTo(Step.Simple.FINISH);
    }

    @Test
    void eachOfTwoGroupsOfOwnersMustAnswer() {
        QuorumSpec spec = new QuorumSpec(2, 3);
        owners = Electorate.joint(spec, 0b0111, spec, 0b1110);
        register();
        answer(0, has(V1));
        assertThat(answer(1, has(V1))).isEqualTo(Step.Simple.REST);
        assertThat(answer(3, has(V1))).isInstanceOf(Pause.class);
    }

    @Test
    void aChangeIsRegisteredAgain() {
        becomeIdle();
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REGISTER);
        register();
        becomeIdle();
    }

    /** The registration of the owner that reports it is used up. */
    @Test
    void aChangeWhileItRegistersIsRegisteredAgain() {
        answer(0, has(V1));
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REST);
        assertThat(answer(1, has(V1))).isEqualTo(new Pause(WaitRound.FIRST_PAUSE_NANOS));
        assertThat(round.timePassed(now)).isEqualTo(Step.Simple.REGISTER);
        register();
        becomeIdle();
    }

    /** 2,000 waits for the deletion of a key that is written often must not flood the nodes. */
    @Test
    void whoWritesOftenCausesOneRegistrationASecond() {
        becomeIdle();
        int registrations = 0;
        long pausedUntil = DEADLINE;
        for (now = 0; now < 20_000 * MILLIS; now += MILLIS) {
            Step step = round.changed(now);
            if (step == Step.Simple.REST && now >= pausedUntil) {
                step = round.timePassed(now);
            }
            if (step == Step.Simple.REGISTER) {
                registrations++;
                register();
                answer(0, has(V1));
                step = answer(1, has(V1));
            }
            if (step instanceof Pause(long untilNanos)) {
                pausedUntil = untilNanos;
            }
        }
        assertThat(registrations).isBetween(15, 40);
    }

    @Test
    void aChangeAfterAQuietTimeIsRegisteredAtOnce() {
        becomeIdle();
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REGISTER);
        register();
        becomeIdle();
        assertThat(round.changed(now)).isEqualTo(new Pause(WaitRound.FIRST_PAUSE_NANOS));
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REST);
        assertThat(round.timePassed(now)).isEqualTo(Step.Simple.REGISTER);
        register();
        becomeIdle();
        now += 2 * WaitRound.LONGEST_PAUSE_NANOS;
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REGISTER);
    }

    /** An owner has a write that the replicas asked by the read do not have yet. */
    @Test
    void aWriteInProgressIsAwaitedWithGrowingPauses() {
        long pause = WaitRound.FIRST_PAUSE_NANOS;
        for (int i = 0; i < 10; i++) {
            answer(0, has(V2));
            assertThat(answer(1, has(V1))).isEqualTo(Step.Simple.READ);
            assertThat(round.read(true, now)).isEqualTo(new Pause(now + pause));
            now += pause;
            assertThat(round.timePassed(now)).isEqualTo(Step.Simple.REGISTER);
            register();
            pause = Math.min(2 * pause, WaitRound.LONGEST_PAUSE_NANOS);
        }
        assertThat(pause).isEqualTo(WaitRound.LONGEST_PAUSE_NANOS);
        becomeIdle();
    }

    @Test
    void itEndsWithARead() {
        becomeIdle();
        now = DEADLINE;
        assertThat(round.timePassed(now)).isEqualTo(Step.Simple.READ);
        assertThat(round.timePassed(now)).as("a second timer").isEqualTo(Step.Simple.REST);
        assertThat(round.read(true, now)).isEqualTo(Step.Simple.FINISH);
        assertThat(round.end()).isFalse();
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REST);
        assertThat(round.read(true, now)).isEqualTo(Step.Simple.REST);
    }

    @Test
    void aPauseEndsAtTheDeadline() {
        now = DEADLINE - MILLIS;
        answer(0, has(V2));
        answer(1, has(V1));
        assertThat(round.read(true, now)).isEqualTo(new Pause(DEADLINE));
        now = DEADLINE;
        assertThat(round.timePassed(now)).isEqualTo(Step.Simple.READ);
        assertThat(round.read(true, now)).isEqualTo(Step.Simple.FINISH);
    }

    @Test
    void anExpiringValueIsReadWhenItHasExpired() {
        ReplicaAnswer expiring =
                new ReplicaAnswer.Found(Entry.expiring(KEY, V1, VALUE, 3, WALL + 500));
        answer(0, expiring);
        assertThat(answer(1, expiring)).isEqualTo(new Pause(501 * MILLIS));
        now = 501 * MILLIS;
        assertThat(round.timePassed(now)).isEqualTo(Step.Simple.READ);
    }

    @Test
    void anExpiredValueDiffers() {
        ReplicaAnswer expired = new ReplicaAnswer.Found(Entry.expiring(KEY, V1, VALUE, 3, WALL));
        answer(0, expired);
        assertThat(answer(1, expired)).isEqualTo(Step.Simple.READ);
    }

    @Test
    void aTombstoneDiffers() {
        answer(0, has(V1));
        assertThat(answer(1, new ReplicaAnswer.Found(Entry.tombstone(KEY, V2, 3))))
                .isEqualTo(Step.Simple.READ);
    }

    @Test
    void aLongValueIsComparedByItsDigest() {
        ReplicaAnswer digested =
                new ReplicaAnswer.Digested(Digest.of(Entry.value(KEY, V1, VALUE, 3)));
        answer(0, digested);
        assertThat(answer(1, digested)).isEqualTo(new Pause(DEADLINE));
    }

    @Test
    void whoWaitsForAValueIsIdleWhileThereIsNone() {
        WaitRound absent = new WaitRound(version -> version == null, DEADLINE);
        int first = absent.begin(owners);
        ReplicaAnswer deleted = new ReplicaAnswer.Found(Entry.tombstone(KEY, V2, 3));
        absent.answered(first, 0, deleted, now, WALL);
        assertThat(absent.answered(first, 1, has(V1), now, WALL)).isEqualTo(new Pause(DEADLINE));
        assertThat(absent.answered(first, 2, has(new Timestamp(300, 1)), now, WALL))
                .isEqualTo(Step.Simple.READ);
    }

    @Test
    void anEndedWaitDoesNothing() {
        becomeIdle();
        assertThat(round.end()).isTrue();
        assertThat(round.end()).isFalse();
        assertThat(answer(2, has(V2))).isEqualTo(Step.Simple.REST);
        assertThat(round.changed(now)).isEqualTo(Step.Simple.REST);
        assertThat(round.timePassed(DEADLINE)).isEqualTo(Step.Simple.REST);
    }
}
