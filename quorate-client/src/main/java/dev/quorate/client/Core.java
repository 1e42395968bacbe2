package dev.quorate.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What both faces of a client share. */
record Core(Call.Context context, RingLearner learner, Versions versions, Duration deadline) {

    <T> CompletableFuture<T> begin(Rule<T> rule, Call.Plan plan) {
        learner.onOperation();
        return Call.begin(context, rule, plan);
    }

    Call.Plan plan(@Nullable Key key, ReadOptions options) {
        Duration hedge = options.hedgeAfter();
        return new Call.Plan(
                key,
                from(options.replicas()),
                deadlineNanos(options.deadline()),
                hedge == null ? 0 : hedge.toNanos());
    }

    Call.Plan plan(@Nullable Key key, WriteOptions options) {
        return new Call.Plan(key, from(options.replicas()), deadlineNanos(options.deadline()), 0);
    }

    private static int from(@Nullable Replicas replicas) {
        return replicas == null ? 0 : replicas.from();
    }

    private long deadlineNanos(@Nullable Duration own) {
        return context.effects().nanos() + (own == null ? deadline : own).toNanos();
    }

    CompletableFuture<Void> learnRing() {
        return learner.learn();
    }

    /** Whether this client has refused an answer for its size. */
    static boolean isTooLarge(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RefusedException refused && refused.status() == 0;
    }
}
