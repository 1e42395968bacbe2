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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
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
     * @param tls whom it trusts; null for those that Java trusts
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
     * A request under way.
     *
     * @param attempt completes within the time, and never with an exception
     * @param cancel ends it at once
     */
    record Exchange(CompletableFuture<Attempt> attempt, Runnable cancel) {}

    /**
     * Sends a request.
     *
     * @param timeoutNanos for the whole answer
     * @throws java.util.concurrent.RejectedExecutionException if the client is closed
     */
    Exchange send(URI node, Request request, long timeoutNanos) {
        CompletableFuture<HttpResponse<byte[]>> sent = new CompletableFuture<>();
        // First the timer, which may be refused: a request without one could hang.
        Runnable timer = effects.after(timeoutNanos, () -> sent.cancel(true));
        CompletableFuture<HttpResponse<byte[]>> exchange =
                http.sendAsync(of(node, request), head -> new LimitedBody(maxAnswerBytes));
        CompletableFuture<Attempt> attempt =
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
     * Ends the thread of the JDK's client once no request is under way. Since Java 21; before, that
     * thread ends when the client is garbage.
     */
    void end() {
        try {
            HttpClient.class.getMethod("shutdown").invoke(http);
        } catch (ReflectiveOperationException e) {
            // It is an older Java.
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

    private static Attempt answered(HttpResponse<byte[]> response) {
        HttpHeaders headers = response.headers();
        String contentType = headers.firstValue("Content-Type").orElse(null);
        return new Attempt.Answered(
                response.statusCode(),
                version(headers),
                contentType != null && contentType.startsWith("application/problem+json"),
                contentType,
                retryAfter(headers),
                response.body());
    }

    private static @Nullable Version version(HttpHeaders headers) {
        try {
            return headers.firstValue("X-Quorate-Version").map(Version::new).orElse(null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static long retryAfter(HttpHeaders headers) {
        String text = headers.firstValue("Retry-After").orElse("0");
        return text.matches("[0-9]{1,9}")
                ? Math.min(Long.parseLong(text), MAX_RETRY_AFTER_SECONDS)
                : 0;
    }

    private Attempt failed(Throwable failure) {
        boolean isLate = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            isLate |= cause instanceof CancellationException;
            if (cause instanceof LimitedBody.TooLargeException) {
                return new Attempt.TooLarge(maxAnswerBytes);
            }
            if (cause instanceof HttpConnectTimeoutException) {
                return new Attempt.NotReached("no connection in time");
            }
            if (cause instanceof ConnectException || cause instanceof SSLHandshakeException) {
                String message = cause.getMessage();
                return new Attempt.NotReached(
                        message == null ? "no connection" : Text.shown(message));
            }
        }
        return new Attempt.NotAnswered(
                isLate ? "no answer in time" : Text.shown(String.valueOf(failure.getMessage())));
    }

    /** Reads a body into memory, up to a limit; what is longer is not read further. */
    static final class LimitedBody implements BodySubscriber<byte[]> {

        /** The body has more bytes than the client accepts. */
        static final class TooLargeException extends Exception {
            TooLargeException() {
                super("too large");
            }
        }

        private final long limitBytes;
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final List<ByteBuffer> parts = new ArrayList<>();
        private int bytes;
        private @Nullable Subscription subscription;

        LimitedBody(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Subscription newSubscription) {
            subscription = newSubscription;
            newSubscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> more) {
            for (ByteBuffer part : more) {
                if (bytes + (long) part.remaining() > limitBytes) {
                    parts.clear();
                    if (subscription != null) {
                        subscription.cancel();
                    }
                    body.completeExceptionally(new TooLargeException());
                    return;
                }
                bytes += part.remaining();
                parts.add(part);
            }
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            byte[] whole = new byte[bytes];
            int at = 0;
            for (ByteBuffer part : parts) {
                int length = part.remaining();
                part.get(whole, at, length);
                at += length;
            }
            parts.clear();
            body.complete(whole);
        }
    }
}
