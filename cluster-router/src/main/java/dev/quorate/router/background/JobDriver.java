package dev.quorate.router.background;

import dev.quorate.router.message.PeerCodec;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.runtime.NodeRuntime;
import dev.quorate.router.runtime.Pace;
import dev.quorate.storage.Entry;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes the steps of one {@link Job}: asks and writes with a deadline, limits the rate, pauses,
 * and runs every event in a task of the job's serial executor, followed by the next steps.
 *
 * @param <X> the exchanges of the job
 */
public final class JobDriver<X> {

    /** Longer than a client's timeout, because no client waits. */
    public static final Duration DEADLINE = Duration.ofSeconds(5);

    /**
     * The services of the node for drivers.
     *
     * @param writer executes {@link Step.Write}
     * @param serial runs one task at a time, which may wait for the disk
     */
    public record Means(NodeRuntime runtime, EntryWriter writer, Executor serial) {}

    /** The owner of a job. Called in tasks of the serial executor. */
    public interface Owner {

        /** Called after an event and the steps that follow it. */
        default void moved() {}

        /**
         * Called when the job ends, with {@link Step.End} or a bug. Not called for a cancelled job.
         *
         * @param bug the bug that ended it; null if none
         */
        void ended(@Nullable RuntimeException bug);
    }

    private final Means means;
    private final Job<X> job;
    private final Pace pace;
    private final Owner owner;

    // Used by serial tasks only.
    private boolean pausing;

    /** Counts pauses, so that the timer of a pause that ended early has no effect. */
    private long pauses;

    private long messageBytes;
    private long storeBytesPaced;
    private boolean over;

    private volatile boolean cancelled;

    /**
     * @param pace limits the bytes of messages and of the job's reads; may be shared with other
     *     drivers of the same serial executor
     */
    public JobDriver(Means means, Job<X> job, Pace pace, Owner owner) {
        this.means = means;
        this.job = job;
        this.pace = pace;
        this.owner = owner;
    }

    /** Starts the job. Call once. */
    public void start() {
        post(() -> {});
    }

    /**
     * Applies an event to the job, then executes its next steps.
     *
     * @param event runs in a task of the serial executor
     */
    public void post(Runnable event) {
        means.serial().execute(() -> take(event));
    }

    /** Like {@link #post}, and ends a pause. */
    public void wake(Runnable event) {
        post(
                () -> {
                    pausing = false;
                    event.run();
                });
    }

    /** Ends the job; its owner is not called. */
    public void cancel() {
        cancelled = true;
    }

    /** Bytes of requests and answers so far. Call this in tasks of the serial executor. */
    public long messageBytes() {
        return messageBytes;
    }

    private void take(Runnable event) {
        if (over || cancelled) {
            return;
        }
        RuntimeException bug = null;
        try {
            event.run();
            while (!over && !pausing && step()) {
                payForReads();
            }
            payForReads();
        } catch (RuntimeException e) {
            over = true; // so that the bug does not stop later jobs
            bug = e;
        }
        owner.moved();
        if (over) {
            owner.ended(bug);
        }
        if (bug != null) {
            throw bug;
        }
    }

    /** Executes one step; false if the next must wait for an event. */
    private boolean step() {
        long waitNanos = pace.waitNanos(means.runtime().ticker().nanos());
        if (waitNanos > 0) {
            pause(Duration.ofNanos(waitNanos));
            return false;
        }
        return switch (job.next()) {
            case Step.Ask<X> ask -> {
                ask(ask);
                yield true;
            }
            case Step.Write<X> write -> {
                write(write);
                yield true;
            }
            case Step.Await<X> await -> false;
            case Step.Pause<X>(Duration duration) -> {
                pause(duration);
                yield false;
            }
            case Step.End<X> end -> {
                over = true;
                yield false;
            }
        };
    }

    private void pause(Duration duration) {
        pausing = true;
        long pause = ++pauses;
        means.runtime()
                .scheduler()
                .after(
                        duration,
                        () ->
                                post(
                                        () -> {
                                            if (pause == pauses) {
                                                pausing = false;
                                            }
                                        }));
    }

    private void ask(Step.Ask<X> ask) {
        pay(PeerCodec.requestBytes(ask.request()));
        ask.whom()
                .ask(
                        ask.request(),
                        deadlineNanos(),
                        answer ->
                                post(
                                        () -> {
                                            pay(PeerCodec.answerBytes(answer));
                                            job.answered(ask.exchange(), answer);
                                        }));
    }

    /** Posts one event when all entries are durable or have failed. */
    private void write(Step.Write<X> write) {
        AtomicInteger left = new AtomicInteger(write.entries().size() + 1);
        AtomicReference<@Nullable Failed> firstFailure = new AtomicReference<>();
        Consumer<@Nullable Failed> completion =
                failure -> {
                    if (failure != null) {
                        firstFailure.compareAndSet(null, failure);
                    }
                    if (left.decrementAndGet() == 0) {
                        post(() -> job.wrote(write.exchange(), firstFailure.get()));
                    }
                };
        for (Entry entry : write.entries()) {
            means.writer().write(entry, deadlineNanos(), completion);
        }
        completion.accept(null);
    }

    private long deadlineNanos() {
        return means.runtime().ticker().nanos() + DEADLINE.toNanos();
    }

    private void pay(long bytes) {
        messageBytes += bytes;
        pace.spend(bytes, means.runtime().ticker().nanos());
    }

    private void payForReads() {
        long read = job.bytesRead();
        pace.spend(read - storeBytesPaced, means.runtime().ticker().nanos());
        storeBytesPaced = read;
    }
}
