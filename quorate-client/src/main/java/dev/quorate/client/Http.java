package dev.quorate.client;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests, each once. The JDK's client may repeat a GET on a connection that broke, never a
 * write. Redirects are not followed.
 */
final class Http {

    private static final long MAX_RETRY_AFTER_SECONDS = 60;

    private final HttpClient http;
    private final Effects effects;
    private final long maxAnswerBytes;
    private final @Nullable String token;

    /**
     * @param token sent with each request; null for none
     * @param tls the trusted certificates; null for those that Java trusts
     */
    Http(
            Effects effects,
            Duration connectTimeout,
            long maxAnswerBytes,
            @Nullable String token,
            @Nullable SSLContext tls) {
        this.effects = effects;
        this.maxAnswerBytes = maxAnswerBytes;
        this.token = token;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .connectTimeout(connectTimeout)
                        .executor(effects.threads());
        this.http = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /**
     * An outstanding request.
     *
     * @param attempt completes within the timeout, and never with an exception
     */
    record Exchange(CompletableFuture<Request.Attempt> attempt, Runnable cancel) {}

    /**
     * Sends a request.
     *
     * @param timeoutNanos the limit for the complete answer
     * @throws java.util.concurrent.RejectedExecutionException if the client is closed
     */
    Exchange send(URI node, Request request, long timeoutNanos) {
        CompletableFuture<HttpResponse<byte[]>> sent = new CompletableFuture<>();
        // The timer first, because it may be rejected: a request without a timer could hang.
        Runnable timer = effects.after(timeoutNanos, () -> sent.cancel(true));
        CompletableFuture<HttpResponse<byte[]>> exchange =
                http.sendAsync(of(node, request), head -> new LimitedBody(maxAnswerBytes));
        CompletableFuture<Request.Attempt> attempt =
                sent.handle(
                        (response, failure) -> {
                            timer.run();
                            exchange.cancel(true);
                            return response == null ? failed(failure) : answered(response);
                        });
        var unused =
                exchange.whenComplete(
                        (response, failure) -> {
                            if (response == null) {
                                sent.completeExceptionally(failure);
                            } else {
                                sent.complete(response);
                            }
                        });
        return new Exchange(attempt, () -> sent.cancel(true));
    }

    /**
     * Ends the thread of the JDK's client when no request is outstanding. Before Java 21, that
     * thread ends when the client is garbage-collected.
     */
    void end() {
        try {
            HttpClient.class.getMethod("shutdown").invoke(http);
        } catch (ReflectiveOperationException e) {
            // an older Java
        }
    }

    private HttpRequest of(URI node, Request request) {
        byte[] body = request.body();
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(node.resolve(request.target()))
                        .method(
                                request.method(),
                                body == null
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofByteArray(body));
        for (int i = 0; i < request.headers().size(); i += 2) {
            builder.header(request.headers().get(i), request.headers().get(i + 1));
        }
        if (token != null) {
            builder.header("Authorization", "Bearer " + token);
        }
        return builder.build();
    }

    private static Request.Attempt answered(HttpResponse<byte[]> response) {
        HttpHeaders headers = response.headers();
        String contentType = headers.firstValue("Content-Type").orElse(null);
        return new Request.Attempt.Answered(
                response.statusCode(),
                version(headers),
                contentType != null && contentType.startsWith("application/problem+json"),
                contentType,
                expires(headers),
                retryAfter(headers),
                headers.firstValue("X-Quorate-Watch").orElse(null),
                Stream.of("X-Quorate-Explain", "X-Quorate-Replica")
                        .flatMap(each -> headers.allValues(each).stream())
                        .map(Json::shown)
                        .toList(),
                response.body());
    }

    private static @Nullable Version version(HttpHeaders headers) {
        try {
            return headers.firstValue("X-Quorate-Version").map(Version::new).orElse(null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Instant expires(HttpHeaders headers) {
        String text = headers.firstValue("X-Quorate-Expires").orElse("");
        return text.matches("[0-9]{1,15}") ? Instant.ofEpochMilli(Long.parseLong(text)) : null;
    }

    private static long retryAfter(HttpHeaders headers) {
        String text = headers.firstValue("Retry-After").orElse("0");
        return text.matches("[0-9]{1,9}")
                ? Math.min(Long.parseLong(text), MAX_RETRY_AFTER_SECONDS)
                : 0;
    }

    private Request.Attempt failed(Throwable failure) {
        boolean isLate = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            isLate |= cause instanceof CancellationException;
            if (cause instanceof LimitedBody.TooLargeException) {
                return new Request.Attempt.TooLarge(maxAnswerBytes);
            }
            if (cause instanceof HttpConnectTimeoutException) {
                return new Request.Attempt.NotReached("no connection in time");
            }
            if (cause instanceof ConnectException || cause instanceof SSLHandshakeException) {
                String message = cause.getMessage();
                return new Request.Attempt.NotReached(
                        message == null ? "no connection" : Json.shown(message));
            }
        }
        return new Request.Attempt.NotAnswered(
                isLate ? "no answer in time" : Json.shown(String.valueOf(failure.getMessage())));
    }

    /** Reads a body into memory; fails if it exceeds a limit. */
    static final class LimitedBody implements BodySubscriber<byte[]> {

        static final class TooLargeException extends Exception {
            TooLargeException() {
                super("too large");
            }
        }

        private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
        private long leftBytes;
        private @Nullable Subscription subscription;

        LimitedBody(long limitBytes) {
            this.leftBytes = limitBytes;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return whole.getBody();
        }

        @Override
        public void onSubscribe(Subscription newSubscription) {
            subscription = newSubscription;
            whole.onSubscribe(newSubscription);
        }

        @Override
        public void onNext(List<ByteBuffer> more) {
            leftBytes -= more.stream().mapToLong(ByteBuffer::remaining).sum();
            if (leftBytes >= 0) {
                whole.onNext(more);
            } else if (subscription != null) {
                subscription.cancel();
                whole.onError(new TooLargeException());
            }
        }

        @Override
        public void onError(Throwable failure) {
            whole.onError(failure);
        }

        @Override
        public void onComplete() {
            whole.onComplete();
        }
    }

    /**
     * The clocks, randomness and threads of a client: one thread for all timers, and further
     * threads that handle timers and answers, so that continuations of users do not delay them. All
     * threads are daemons.
     */
    static final class Effects {

        private final ScheduledThreadPoolExecutor timers;
        private final ExecutorService threads;

        Effects() {
            this.timers = new ScheduledThreadPoolExecutor(1, daemons("quorate-client-timer"));
            timers.setRemoveOnCancelPolicy(true);
            this.threads = Executors.newCachedThreadPool(daemons("quorate-client"));
        }

        private static ThreadFactory daemons(String name) {
            return task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            };
        }

        /** A monotonic clock, in nanoseconds. */
        long nanos() {
            return System.nanoTime();
        }

        /** The time of day, in milliseconds since 1970. */
        long millis() {
            return System.currentTimeMillis();
        }

        long random() {
            return ThreadLocalRandom.current().nextLong();
        }

        Executor threads() {
            return threads;
        }

        /**
         * Runs a task once after a delay.
         *
         * @return cancels the task unless it has begun
         * @throws java.util.concurrent.RejectedExecutionException after {@link #end}
         */
        Runnable after(long nanos, Runnable task) {
            ScheduledFuture<?> scheduled =
                    timers.schedule(() -> threads.execute(task), nanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        }

        /** Rejects further timers. Existing timers still fire. */
        void end() {
            timers.shutdown();
        }
    }

    /**
     * Chooses versions for writes that have a version in their first attempt: 48 bits of
     * milliseconds since 1970, and 48 random bits.
     */
    record Versions(Effects effects) {

        private static final long SECOND_MILLIS = 1_000;

        /**
         * A unique version.
         *
         * @param newest a version that the new version must exceed; null for none
         */
        Version next(@Nullable Version newest) {
            long random = effects.random();
            // The current full second is not ahead of the nodes' clocks.
            long second = effects.millis() / SECOND_MILLIS * SECOND_MILLIS;
            long hybrid = second << 16 | random >>> 48;
            if (newest != null) {
                hybrid = later(hybrid, madeAt(newest) + 1);
            }
            return new Version(
                    String.format(Locale.ROOT, "%016x-%08x", hybrid, random & 0xFFFF_FFFFL));
        }

        /** The hybrid clock of a version, or of its last step if a conditional write made it. */
        private static long madeAt(Version version) {
            String text = version.text();
            long root = Long.parseUnsignedLong(text.substring(0, 16), 16);
            return text.length() > 25
                    ? later(root, Long.parseUnsignedLong(text.substring(26), 16))
                    : root;
        }

        private static long later(long one, long other) {
            return Long.compareUnsigned(one, other) > 0 ? one : other;
        }
    }
}
