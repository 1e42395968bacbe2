package dev.quorate.client;

import dev.quorate.client.Endpoints.Endpoint;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Executes one operation: sends the requests of its rule to one node after the other, pauses when
 * all have been asked, and ends by the deadline. Steps are sequential.
 */
final class Call<T> {

    private static final long FIRST_PAUSE_NANOS = 10_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 500_000_000L;

    /** The end of a request whose operation has ended by another one, or was cancelled. */
    private static final Request.Attempt SUPERSEDED =
            new Request.Attempt.NotAnswered("the operation had ended");

    /** With less time left, nothing is sent: a write would only have an unknown outcome. */
    private static final long SHORTEST_ATTEMPT_NANOS = 20_000_000L;

    /**
     * The context that all calls of a client share.
     *
     * @param maxRounds the maximum number of times each node is asked
     */
    record Context(
            Http http,
            Endpoints endpoints,
            Http.Effects effects,
            OperationListener listener,
            long attemptNanos,
            int maxRounds) {}

    /**
     * The nodes and the times of a call.
     *
     * @param key the key whose owners are asked first; null for none
     * @param from the number of owners; 0 for the cluster's default
     * @param deadlineNanos on the clock of the effects
     * @param hedgeNanos the time after which a second node is asked; 0 for never
     */
    record Plan(@Nullable Key key, int from, long deadlineNanos, long hedgeNanos) {}

    private final Context context;
    private final Rule<T> rule;
    private final Plan plan;
    private final Trace trace;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Set<Endpoint> asked = new HashSet<>();
    private int rounds;

    private Call(Context context, Rule<T> rule, Plan plan, Trace trace) {
        this.context = context;
        this.rule = rule;
        this.plan = plan;
        this.trace = trace;
    }

    /** Starts a call. The future completes with the result or a {@link QuorateException}. */
    static <T> CompletableFuture<T> begin(Context context, Rule<T> rule, Plan plan, Trace trace) {
        Call<T> call = new Call<>(context, rule, plan, trace);
        call.step();
        return call.result;
    }

    private void step() {
        if (result.isDone()) {
            return; // the caller has cancelled it
        }
        try {
            attempt();
        } catch (RejectedExecutionException e) {
            take(rule.onDelay()); // the client is closed
        }
    }

    private void attempt() {
        long leftNanos = plan.deadlineNanos() - context.effects().nanos();
        if (leftNanos < SHORTEST_ATTEMPT_NANOS) {
            take(rule.onDelay());
            return;
        }
        Endpoint node = choose();
        if (node == null) {
            pause(leftNanos);
            return;
        }
        long timeout =
                rule.isRepeatable()
                        ? Math.min(leftNanos, context.attemptNanos() + rule.waitNanos())
                        : leftNanos;
        var unused = new Hedge(timeout).begin(node).thenAccept(this::after);
    }

    /** The next node; null if all have been asked in this round. */
    private @Nullable Endpoint choose() {
        Key key = plan.key();
        Http.Effects effects = context.effects();
        synchronized (asked) {
            Endpoint chosen =
                    context.endpoints()
                            .choose(
                                    key == null ? null : key.shared(),
                                    plan.from(),
                                    asked,
                                    effects.nanos(),
                                    effects.random());
            if (chosen != null) {
                asked.add(chosen);
            }
            return chosen;
        }
    }

    private void after(Outcome outcome) {
        try {
            take(rule.after(outcome.node().toString(), outcome.attempt()));
        } catch (RuntimeException e) {
            result.completeExceptionally(e); // a bug, which must not let the caller wait forever
            throw e;
        }
    }

    private void take(Rule.Step<T> step) {
        if (step instanceof Rule.Step.Done<T> done) {
            result.complete(done.result());
        } else if (step instanceof Rule.Step.Failed<T> failed) {
            result.completeExceptionally(failed.why().inTrace(trace.id()));
        } else {
            step();
        }
    }

    /** Begins another round after a random pause, which grows. */
    private void pause(long leftNanos) {
        synchronized (asked) {
            asked.clear();
        }
        long most = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(rounds, 10));
        rounds++;
        if (rounds >= context.maxRounds()) {
            take(rule.onDelay());
            return;
        }
        long pause = most / 2 + Long.remainderUnsigned(context.effects().random(), most / 2);
        context.effects().after(Math.min(pause, leftNanos), this::step);
    }

    private record Outcome(Endpoint node, Request.Attempt attempt) {}

    /**
     * Sends the request to one node, and also to a second node if the first does not answer for
     * some time. The first decisive answer counts, and the other request is cancelled. Without a
     * decisive answer, the last one counts.
     */
    private final class Hedge {

        private final Request request = rule.request().with("traceparent", trace.parent());
        private final long timeoutNanos;
        private final CompletableFuture<Outcome> first = new CompletableFuture<>();
        // Guarded by this.
        private int outstanding;

        Hedge(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
        }

        /**
         * @return never completes with an exception
         * @throws RejectedExecutionException if the client is closed
         */
        CompletableFuture<Outcome> begin(Endpoint node) {
            send(node, timeoutNanos);
            Request.Attempt cancelled = new Request.Attempt.NotAnswered("cancelled");
            var unusedOver =
                    result.whenComplete(
                            (done, failure) -> first.complete(new Outcome(node, cancelled)));
            if (plan.hedgeNanos() > 0 && plan.hedgeNanos() < timeoutNanos) {
                var unused =
                        first.thenRun(context.effects().after(plan.hedgeNanos(), this::second));
            }
            return first;
        }

        private void second() {
            Endpoint node = first.isDone() ? null : choose();
            if (node != null) {
                try {
                    send(node, timeoutNanos - plan.hedgeNanos());
                } catch (RejectedExecutionException e) {
                    ended(
                            new Outcome(
                                    node, new Request.Attempt.NotReached("the client is closed")));
                }
            }
        }

        private void send(Endpoint node, long timeout) {
            synchronized (this) {
                outstanding++;
            }
            int number = trace.nextNumber();
            long sentNanos = context.effects().nanos();
            Http.Exchange exchange = context.http().send(node.uri(), request, timeout);
            var unusedCancel = first.thenRun(exchange.cancel());
            var unusedEnd =
                    exchange.attempt()
                            .thenAccept(
                                    attempt -> {
                                        boolean isLate = first.isDone();
                                        long nowNanos = context.effects().nanos();
                                        if (!isLate) {
                                            context.endpoints().note(node, attempt, nowNanos);
                                        }
                                        trace.attempted(
                                                node.uri(),
                                                number,
                                                isLate ? SUPERSEDED : attempt,
                                                nowNanos - sentNanos);
                                        ended(new Outcome(node, attempt));
                                    });
        }

        private void ended(Outcome outcome) {
            boolean isLast;
            synchronized (this) {
                outstanding--;
                isLast = outstanding == 0;
            }
            if (isLast || isDecisive(outcome.attempt())) {
                first.complete(outcome);
            }
        }

        private static boolean isDecisive(Request.Attempt attempt) {
            return attempt instanceof Request.Attempt.Answered answered
                    && (answered.status() == 200
                            || (answered.isProblem() && answered.status() < 500));
        }
    }
}
