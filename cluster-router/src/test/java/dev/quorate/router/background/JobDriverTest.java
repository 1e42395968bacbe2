package dev.quorate.router.background;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.router.topology.Member;
import dev.quorate.router.topology.Topology;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is done with the steps of a job, and how its events come back. */
class JobDriverTest {

    private static final ReplicaRequest.Read READ = new ReplicaRequest.Read("key".getBytes(UTF_8));
    private static final Failed GONE = new Failed(Failure.TIMEOUT, "gone");

    private final ManualTime time = new ManualTime();
    private final Member member = Topology.parse("n1=http://a:1").members().getFirst();
    private final Peer peer = new Peer();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<Consumer<@Nullable Failed>> writes = new ArrayList<>();
    private final Script job = new Script();
    private final List<String> ends = new ArrayList<>();
    private long bytesPerSecond;

    /** Collects what it is asked. */
    private final class Peer implements Replica {
        private final List<AnswerCallback> asked = new ArrayList<>();
        private long deadlineNanos;

        @Override
        public Member member() {
            return member;
        }

        @Override
        public void ask(ReplicaRequest request, long deadline, AnswerCallback callback) {
            deadlineNanos = deadline;
            asked.add(callback);
        }
    }

    /** Takes the steps that it is given, and then waits. */
    private static final class Script implements Job<String> {
        private final Deque<Step<String>> steps = new ArrayDeque<>();
        private final List<String> events = new ArrayList<>();
        private @Nullable RuntimeException bug;
        private long bytesRead;

        @Override
        public Step<String> next() {
            if (bug != null) {
                throw bug;
            }
            Step<String> step = steps.poll();
            return step == null ? new Step.Await<>() : step;
        }

        @Override
        public void answered(String exchange, ReplicaAnswer answer) {
            events.add(exchange + " answered " + answer.getClass().getSimpleName());
        }

        @Override
        public void wrote(String exchange, @Nullable Failed failure) {
            events.add(
                    exchange
                            + (failure == null
                                    ? " written"
                                    : " failed " + failure.reason().name()));
        }

        @Override
        public long bytesRead() {
            return bytesRead;
        }
    }

    private JobDriver<String> driver() {
        return new JobDriver<>(
                new JobDriver.Means(
                        new NodeRuntime(time, time, new Random(1), tasks::add),
                        (entry, deadlineNanos, completion) -> writes.add(completion),
                        tasks::add),
                job,
                new Pace(bytesPerSecond, time.nanos()),
                bug -> ends.add(bug == null ? "end" : bug.getMessage()));
    }

    private void run() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private JobDriver<String> started() {
        JobDriver<String> driver = driver();
        driver.start();
        run();
        return driver;
    }

    private Step<String> ask(String exchange) {
        return new Step.Ask<>(exchange, peer, READ);
    }

    @Test
    void stepsAreTakenUntilTheJobWaits() {
        job.steps.add(ask("one"));
        job.steps.add(ask("two"));
        started();
        assertThat(peer.asked).hasSize(2);
        assertThat(peer.deadlineNanos).isEqualTo(time.nanos() + JobDriver.DEADLINE.toNanos());
    }

    @Test
    void anAnswerIsATaskAndItsStepsFollow() {
        job.steps.add(ask("one"));
        started();
        job.steps.add(new Step.End<>());
        peer.asked.getFirst().answered(ReplicaAnswer.Absent.ABSENT);
        assertThat(job.events).isEmpty();
        run();
        assertThat(job.events).containsExactly("one answered Absent");
        assertThat(ends).containsExactly("end");
    }

    @Test
    void aPauseDelaysStepsButNotAnswers() {
        job.steps.add(ask("one"));
        job.steps.add(new Step.Pause<>(Duration.ofSeconds(3)));
        job.steps.add(ask("two"));
        started();
        peer.asked.getFirst().answered(ReplicaAnswer.Absent.ABSENT);
        run();
        time.advanceMillis(2_999);
        run();
        assertThat(job.events).hasSize(1);
        assertThat(peer.asked).hasSize(1);
        time.advanceMillis(1);
        run();
        assertThat(peer.asked).hasSize(2);
    }

    @Test
    void anEventDoesNotEndAPauseButAWakeUpDoes() {
        job.steps.add(new Step.Pause<>(Duration.ofSeconds(3)));
        job.steps.add(ask("one"));
        JobDriver<String> driver = started();
        driver.post(() -> job.events.add("posted"));
        run();
        assertThat(job.events).containsExactly("posted");
        assertThat(peer.asked).isEmpty();
        driver.wake(() -> job.events.add("woken"));
        run();
        assertThat(job.events).containsExactly("posted", "woken");
        assertThat(peer.asked).hasSize(1);
    }

    @Test
    void theEndOfAPauseThatWasEndedEarlyEndsNoLaterOne() {
        job.steps.add(new Step.Pause<>(Duration.ofSeconds(3)));
        JobDriver<String> driver = started();
        job.steps.add(new Step.Pause<>(Duration.ofSeconds(10)));
        job.steps.add(ask("one"));
        driver.wake(() -> {});
        run();
        time.advanceMillis(3_000);
        run();
        assertThat(peer.asked).isEmpty();
        time.advanceMillis(7_000);
        run();
        assertThat(peer.asked).hasSize(1);
    }

    @Test
    void entriesOfAWriteEndTogetherWithTheFirstFailure() {
        Entry entry = JobTranscript.entry("a5");
        job.steps.add(new Step.Write<>("both", List.of(entry, entry)));
        started();
        writes.get(1).accept(GONE);
        run();
        assertThat(job.events).isEmpty();
        writes.get(0).accept(new Failed(Failure.DISK_FULL, "full"));
        run();
        assertThat(job.events).containsExactly("both failed TIMEOUT");
    }

    @Test
    void anEmptyWriteEndsAtOnce() {
        job.steps.add(new Step.Write<>("none", List.of()));
        started();
        assertThat(job.events).containsExactly("none written");
    }

    @Test
    void messagesAndReadBytesCountAgainstThePace() {
        bytesPerSecond = 1_000;
        job.steps.add(ask("one"));
        job.steps.add(ask("two"));
        JobDriver<String> driver = started();
        assertThat(peer.asked).hasSize(1);
        long sent = PeerCodec.requestBytes(READ);
        assertThat(driver.messageBytes()).isEqualTo(sent);
        time.advanceMillis(sent - 1);
        run();
        assertThat(peer.asked).hasSize(1);
        job.bytesRead = 500;
        time.advanceMillis(1);
        run();
        assertThat(peer.asked).hasSize(2);
        job.steps.add(ask("three"));
        time.advanceMillis(499 + sent);
        run();
        assertThat(peer.asked).hasSize(2);
        time.advanceMillis(1);
        run();
        assertThat(peer.asked).hasSize(3);
    }

    @Test
    void aCancelledJobTakesNoMoreSteps() {
        job.steps.add(ask("one"));
        JobDriver<String> driver = started();
        driver.cancel();
        job.steps.add(new Step.End<>());
        peer.asked.getFirst().answered(ReplicaAnswer.Absent.ABSENT);
        run();
        assertThat(job.events).isEmpty();
        assertThat(ends).isEmpty();
    }

    @Test
    void afterTheEndAnswersAreOfNoUse() {
        job.steps.add(ask("one"));
        job.steps.add(new Step.End<>());
        started();
        peer.asked.getFirst().answered(ReplicaAnswer.Absent.ABSENT);
        run();
        assertThat(job.events).isEmpty();
        assertThat(ends).containsExactly("end");
    }

    @Test
    void aBugEndsTheJobAndItsOwnerIsCalled() {
        job.bug = new IllegalStateException("a bug");
        driver().start();
        assertThatThrownBy(this::run).isSameAs(job.bug);
        assertThat(ends).containsExactly("a bug");
    }
}
