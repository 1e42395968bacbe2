package dev.quorate.testkit.check;

import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.testkit.check.CheckWorkload.ClientRequest;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client whose requests all complete with an outcome for the history. It blocks no thread,
 * and its timeout covers the body.
 */
final class HistoryClient implements AutoCloseable {

    private final Duration timeout;
    private final boolean isLinearizable;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(1))
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();

    /**
     * @param timeout the limit for the whole answer
     * @param isLinearizable whether each request has {@code consistency=linearizable}
     */
    HistoryClient(Duration timeout, boolean isLinearizable) {
        this.timeout = timeout;
        this.isLinearizable = isLinearizable;
    }

    /**
     * Sends one request. The JDK's client may repeat a GET on a broken connection, never a write.
     *
     * @param request its key must not need percent-encoding
     * @return never completes with an exception
     */
    CompletableFuture<RequestOutcome> send(URI node, ClientRequest request) {
        Action action = request.action();
        QuorumSpec spec = request.spec();
        String query =
                "?id=%s&replicas=%s/%s%s"
                        .formatted(
                                request.key(),
                                spec.ack(),
                                spec.from(),
                                isLinearizable ? "&consistency=linearizable" : "");
        HttpRequest.Builder builder = HttpRequest.newBuilder(node.resolve("/v0/entity" + query));
        switch (action) {
            case Action.Get() -> builder.GET();
            case Action.Delete(_) -> builder.DELETE();
            case Action.Put(String value, _) ->
                    builder.PUT(BodyPublishers.ofByteArray(Values.bytes(value)));
        }
        switch (action.condition()) {
            case HistoryCondition.None() -> {}
            case HistoryCondition.Is(_) -> builder.header("If-Match", "\"" + request.base() + "\"");
            case HistoryCondition.Present() -> builder.header("If-Match", "*");
            case HistoryCondition.Absent() -> builder.header("If-None-Match", "*");
        }
        if (!request.version().isEmpty()) {
            builder.header("X-Quorate-Version", request.version());
        }
        return exchange(builder.build())
                .handle(
                        (response, failure) ->
                                response == null ? failed(failure) : reply(action, response));
    }

    /** Whether {@code /readyz} returns 200. */
    CompletableFuture<Boolean> isReady(URI node) {
        return exchange(HttpRequest.newBuilder(node.resolve("/readyz")).build())
                .handle((response, failure) -> response != null && response.statusCode() == 200);
    }

    /** Has its own timeout: that of the JDK does not cover the body. */
    private CompletableFuture<HttpResponse<byte[]>> exchange(HttpRequest request) {
        CompletableFuture<HttpResponse<byte[]>> sent =
                http.sendAsync(request, BodyHandlers.ofByteArray());
        return sent.copy()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((response, failure) -> sent.cancel(true));
    }

    private static RequestOutcome reply(Action action, HttpResponse<byte[]> response) {
        String version = response.headers().firstValue("X-Quorate-Version").orElse("");
        boolean isValue = action instanceof Action.Get && response.statusCode() == 200;
        String body =
                isValue
                        ? Values.name(response.body())
                        : new String(response.body(), StandardCharsets.UTF_8);
        return RequestOutcome.of(action, response.statusCode(), version, body);
    }

    private static RequestOutcome failed(@Nullable Throwable failure) {
        boolean isLate = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            isLate |= cause instanceof TimeoutException;
            if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
                return new RequestOutcome(
                        new Answer.Refused("no connection"), RequestOutcome.Kind.UNREACHED);
            }
        }
        return new RequestOutcome(
                new Answer.Indeterminate(isLate ? "no answer in time" : "connection broke"),
                RequestOutcome.Kind.UNANSWERED);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    /** Values that begin with a name, which determines all bytes, so that damage is detected. */
    static final class Values {

        private static final char END_OF_NAME = '|';
        private static final int SHORT_BYTES = 100;
        private static final int LONG_BYTES = 5_000;

        private Values() {}

        /** The value with a name; one in sixteen is long. */
        static byte[] bytes(String name) {
            int hash = name.hashCode() * 0x9E3779B9;
            int most = (hash >>> 28) == 0 ? LONG_BYTES : SHORT_BYTES;
            int padding = (hash & 0xFFFFFF) % most;
            StringBuilder text = new StringBuilder(name.length() + 1 + padding);
            text.append(name).append(END_OF_NAME);
            for (int i = 0; i < padding; i++) {
                text.append((char) ('a' + ((hash >>> (8 + i % 24)) + i) % 26));
            }
            return text.toString().getBytes(StandardCharsets.US_ASCII);
        }

        /** The name of a value, or a text that is not a name if the bytes are damaged. */
        static String name(byte[] bytes) {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int end = text.indexOf(END_OF_NAME);
            String name = end < 0 ? "" : text.substring(0, end);
            return end >= 0 && Arrays.equals(bytes(name), bytes) ? name : "damaged: " + text;
        }
    }
}
