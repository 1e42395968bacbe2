package dev.quorate.router.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.topology.Member;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChangeNoticesTest {

    private static final byte[] KEY = {1, 2};
    private static final byte[] OTHER_KEY = {3};
    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final int LEFT = 3;

    private final ManualTime time = new ManualTime();
    private final List<Long> own = new ArrayList<>();
    private final List<ReplicaRequest> sent = new ArrayList<>();
    private ReplicaAnswer answer = ReplicaAnswer.Absent.ABSENT;

    private final Replica other =
            new Replica() {
                @Override
                public Member member() {
                    return new Member("n2", URI.create("http://localhost:1"));
                }

                @Override
                public void ask(
                        ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
                    sent.add(request);
                    callback.answered(answer);
                }
            };

    private final ChangeNotices notices =
            new ChangeNotices(
                    SELF,
                    own::addAll,
                    number -> number == OTHER ? other : null,
                    time,
                    time,
                    new SplittableRandom(1));

    private boolean watch(int member, long id, byte[] key) {
        return notices.watch(new ReplicaRequest.Watch(member, id, 30_000, key));
    }

    private static ReplicaRequest changed(Long... ids) {
        return new ReplicaRequest.Changed(List.of(ids));
    }

    @Test
    void aWriteIsReportedOnceToEachWait() {
        watch(SELF, 10, KEY);
        watch(OTHER, 20, KEY);
        watch(OTHER, 21, OTHER_KEY);
        watch(LEFT, 30, KEY);
        notices.stored(KEY);
        assertThat(sent).as("not by the thread that completes writes").isEmpty();
        time.advance(Duration.ZERO);
        assertThat(own).containsExactly(10L);
        assertThat(sent).containsExactly(changed(20L));
        notices.stored(KEY);
        time.advanceMillis(1_000);
        assertThat(own).hasSize(1);
        assertThat(sent).hasSize(1);
        assertThat(notices.figures().count("waits_registered")).isEqualTo(1);
    }

    @Test
    void aChangeBelowAPrefixIsCountedAndReported() {
        byte[] prefix = {1};
        ReplicaRequest.Watch watch = new ReplicaRequest.Watch(OTHER, 20, 30_000, prefix, true);
        assertThat(notices.isIdle()).isTrue();
        assertThat(notices.watch(watch)).isTrue();
        long position = notices.position(prefix);
        notices.stored(OTHER_KEY);
        notices.stored(prefix);
        notices.stored(KEY);
        time.advanceMillis(1_000);
        assertThat(sent).as("once").containsExactly(changed(20L));
        assertThat(notices.position(prefix)).isEqualTo(position + 2);
        assertThat(notices.isIdle()).as("the prefix is counted").isFalse();
        assertThat(notices.figures().count("waits_registered")).isZero();
        assertThat(notices.figures().count("prefixes_counted")).isEqualTo(1);
        time.advanceMillis(620_000);
        assertThat(notices.isIdle()).as("nobody has asked for it").isTrue();
        assertThat(notices.position(prefix)).isNotEqualTo(position + 2);
    }

    @Test
    void aWaitForAKeyIsNotToldOfThePrefix() {
        watch(OTHER, 20, new byte[] {1});
        notices.position(new byte[] {1});
        notices.stored(KEY);
        time.advanceMillis(1_000);
        assertThat(sent).isEmpty();
    }

    @Test
    void aForgottenPrefixEndsItsWaits() {
        byte[] prefix = {1};
        notices.watch(new ReplicaRequest.Watch(SELF, 10, 120_000, prefix, true));
        notices.position(prefix);
        for (int i = 0; i < PrefixCounts.MAX; i++) {
            time.advanceMillis(1);
            notices.position(new byte[] {2, (byte) (i >> 8), (byte) i});
        }
        time.advanceMillis(1);
        assertThat(own).containsExactly(10L);
    }

    @Test
    void anEndedWaitIsNotReported() {
        watch(OTHER, 20, KEY);
        notices.watch(new ReplicaRequest.Watch(OTHER, 20, 0, KEY));
        assertThat(notices.isIdle()).isTrue();
        notices.stored(KEY);
        time.advanceMillis(1_000);
        assertThat(sent).isEmpty();
    }

    @Test
    void whoCannotBeToldIsToldAgain() {
        answer = new Failed(Failure.BREAKER_OPEN, "down");
        watch(OTHER, 20, KEY);
        notices.stored(KEY);
        time.advanceMillis(10_000);
        assertThat(sent.size()).isBetween(40, 60);
        answer = ReplicaAnswer.Absent.ABSENT;
        time.advanceMillis(300);
        int told = sent.size();
        time.advanceMillis(10_000);
        assertThat(sent).hasSize(told).allMatch(changed(20L)::equals);
    }

    @Test
    void nobodyIsToldOnceTheRegistrationWouldHaveEnded() {
        answer = new Failed(Failure.BREAKER_OPEN, "down");
        watch(OTHER, 20, KEY);
        notices.stored(KEY);
        time.advanceMillis(30_300);
        int told = sent.size();
        time.advanceMillis(30_000);
        assertThat(sent).hasSize(told);
    }

    @Test
    void aRegistrationExpires() {
        watch(OTHER, 20, KEY);
        time.advanceMillis(29_000);
        assertThat(notices.figures().count("waits_registered")).isEqualTo(1);
        time.advanceMillis(7_000);
        assertThat(notices.isIdle()).isTrue();
        notices.close();
        assertThat(time.scheduled()).isZero();
    }

    @Test
    void oneMessageReportsManyWaits() {
        for (long i = 0; i < 1_000; i++) {
            watch(OTHER, i, KEY);
        }
        notices.stored(KEY);
        time.advanceMillis(1);
        assertThat(sent).hasSize(2);
    }
}
