package dev.quorate.client;

import dev.quorate.client.Endpoints.Endpoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request to one node, and the same to a second one if there is no answer after a while.
 * The first answer that decides counts; the other request is cancelled. If none does, the last one
 * counts.
 */
final class Hedge {

    /** What came of it, and of whom. */
    record Outcome(Endpoint node, Attempt attempt) {}

    private final Call.Context context;
    private final Supplier<@Nullable Endpoint> others;
    private final Request request;
    private final long delayNanos;
    private final long timeoutNanos;
    private final CompletableFuture<Outcome> first = new CompletableFuture<>();

    // Guarded by this.
    private int outstanding;

    /**
     * @param others chooses the second node; null if there is none
     * @param delayNanos 0 for never
     */
    Hedge(
            Call.Context context,
            Supplier<@Nullable Endpoint> others,
            Request request,
            long delayNanos,
            long timeoutNanos) {
        this.context = context;
        this.others = others;
        this.request = request;
        this.delayNanos = delayNanos;
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * Begins.
     *
     * @return completes without an exception
     * @throws RejectedExecutionException if the client is closed
     */
    CompletableFuture<Outcome> begin(Endpoint node) {
        send(node, timeoutNanos);
        if (delayNanos > 0 && delayNanos < timeoutNanos) {
            var unused = first.thenRun(context.effects().after(delayNanos, this::second));
        }
        return first;
    }

    private void second() {
        Endpoint node = first.isDone() ? null : others.get();
        if (node != null) {
            try {
                send(node, timeoutNanos - delayNanos);
            } catch (RejectedExecutionException e) {
                ended(new Outcome(node, new Attempt.NotReached("the client is closed")));
            }
        }
    }

    private void send(Endpoint node, long timeout) {
        synchronized (this) {
            outstanding++;
        }
        Http.Exchange exchange = context.http().send(node.uri(), request, timeout);
        var unusedCancel = first.thenRun(exchange.cancel());
        var unusedEnd =
                exchange.attempt()
                        .thenAccept(
                                attempt -> {
                                    if (!first.isDone()) {
                                        context.endpoints()
                                                .note(node, attempt, context.effects().nanos());
                                    }
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

    private static boolean isDecisive(Attempt attempt) {
        return attempt instanceof Attempt.Answered answered
                && (answered.status() == 200 || (answered.isProblem() && answered.status() < 500));
    }
}
