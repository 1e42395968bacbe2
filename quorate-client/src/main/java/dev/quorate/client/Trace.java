package dev.quorate.client;

import dev.quorate.client.OperationListener.Observer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The trace of one operation: the id that all of its requests carry, and its observer. */
final class Trace {

    private static final Pattern FORM =
            Pattern.compile("00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private static final int ID_AT = 3;
    private static final int ID_END = 35;

    private final Observer observer;
    private final String parent;
    private final AtomicInteger attempts = new AtomicInteger();

    private Trace(Observer observer, String parent) {
        this.observer = observer;
        this.parent = parent;
    }

    /** Begins the trace of an operation, on the thread of its caller. */
    static Trace begin(
            OperationListener listener, String name, @Nullable Key key, Http.Effects effects) {
        Observer observer = listener.begin(name, key);
        String given = observer.traceparent();
        boolean isGiven = given != null && FORM.matcher(given).matches();
        return new Trace(observer, isGiven ? String.valueOf(given) : random(effects));
    }

    private static String random(Http.Effects effects) {
        // None of the parts may be zero.
        return String.format(
                Locale.ROOT,
                "00-%016x%016x-%016x-00",
                effects.random() | 1,
                effects.random(),
                effects.random() | 1);
    }

    /** The value of the header {@code traceparent}. */
    String parent() {
        return parent;
    }

    String id() {
        return parent.substring(ID_AT, ID_END);
    }

    /** The number of the next request. */
    int nextNumber() {
        return attempts.incrementAndGet();
    }

    void attempted(URI node, int number, Request.Attempt attempt, long nanos) {
        boolean isAnswered = attempt instanceof Request.Attempt.Answered;
        int status = isAnswered ? ((Request.Attempt.Answered) attempt).status() : 0;
        boolean isSuccess = isAnswered && status < 400;
        call(
                () ->
                        observer.attempted(
                                new OperationListener.Attempt(
                                        node,
                                        number,
                                        status,
                                        Duration.ofNanos(nanos),
                                        isSuccess ? null : attempt.toString())));
    }

    /** Reports the end of the operation, and names the trace in its failures. */
    <T> CompletableFuture<T> observe(CompletableFuture<T> result) {
        var unused =
                result.whenComplete(
                        (done, failure) -> {
                            Throwable cause =
                                    failure instanceof CompletionException
                                            ? failure.getCause()
                                            : failure;
                            call(() -> observer.ended(cause));
                        });
        return result;
    }

    /** Names the trace in the failures of a batch. */
    List<BatchResult> named(List<BatchResult> results) {
        for (BatchResult each : results) {
            if (each instanceof BatchResult.Failed failed) {
                failed.why().inTrace(id());
            }
        }
        return results;
    }

    private static void call(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }
}
