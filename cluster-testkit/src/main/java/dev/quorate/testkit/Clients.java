package dev.quorate.testkit;

import com.google.common.hash.Hashing;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.History;
import dev.quorate.testkit.history.Recorder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An HTTP client that records each operation in a history. */
final class Clients implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern QUORUM = Pattern.compile("(\\d{1,9})/(\\d{1,9})");

    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();
    private final Recorder recorder = new Recorder();
    private final int nodes;
    private final int replicationFactor;

    Clients(int nodes, int replicationFactor) {
        this.nodes = nodes;
        this.replicationFactor = replicationFactor;
    }

    History history() {
        return recorder.history();
    }

    Reply put(String base, String key, byte[] value, @Nullable String quorum) {
        return send(
                request(base, key, quorum).PUT(BodyPublishers.ofByteArray(value)).build(),
                key,
                new Action.Put(shown(value)),
                quorum);
    }

    Reply get(String base, String key, @Nullable String quorum) {
        return send(request(base, key, quorum).GET().build(), key, new Action.Get(), quorum);
    }

    Reply delete(String base, String key, @Nullable String quorum) {
        return send(request(base, key, quorum).DELETE().build(), key, new Action.Delete(), quorum);
    }

    private HttpRequest.Builder request(String base, String key, @Nullable String quorum) {
        String id = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
        String query = "id=" + id + (quorum == null ? "" : "&replicas=" + quorum);
        return HttpRequest.newBuilder(URI.create(base + "/v0/entity?" + query)).timeout(TIMEOUT);
    }

    private Reply send(HttpRequest request, String key, Action action, @Nullable String quorum) {
        Recorder.Call call = begin(key, action, quorum);
        try {
            HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
            Reply reply =
                    new Reply(
                            response.statusCode(),
                            response.body(),
                            response.headers().firstValue("X-Quorate-Version").orElse(null));
            end(call, answer(action, reply));
            return reply;
        } catch (IOException e) {
            end(call, new Answer.Indeterminate(e.toString()));
            throw new UncheckedIOException(request.method() + " " + request.uri() + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("interrupted"));
        }
    }

    /** Returns null for an invalid quorum: the node refuses it, so it is not recorded. */
    private Recorder.@Nullable Call begin(String key, Action action, @Nullable String quorum) {
        int from = replicationFactor;
        int ack = from / 2 + 1;
        if (quorum != null) {
            Matcher parts = QUORUM.matcher(quorum);
            if (!parts.matches()) {
                return null;
            }
            ack = Integer.parseInt(parts.group(1));
            from = Integer.parseInt(parts.group(2));
        }
        if (ack < 1 || ack > from || from > nodes) {
            return null;
        }
        int client = (int) Thread.currentThread().threadId();
        return recorder.begin(client, key, action, ack, from, SystemTicker.INSTANCE.nanos());
    }

    private static void end(Recorder.@Nullable Call call, Answer answer) {
        if (call != null) {
            call.end(answer, SystemTicker.INSTANCE.nanos());
        }
    }

    private static Answer answer(Action action, Reply reply) {
        String version = Objects.requireNonNullElse(reply.version(), "");
        boolean isRead = action instanceof Action.Get;
        return switch (reply.status()) {
            case 200 -> new Answer.Value(shown(reply.body()), version);
            case 201 -> new Answer.Stored(version);
            case 202 -> new Answer.Deleted(version);
            case 404 -> isRead ? new Answer.Absent() : new Answer.Indeterminate("404 to a write");
            case 400, 409, 413, 414, 431, 503 -> new Answer.Refused("" + reply.status());
            default -> new Answer.Indeterminate("" + reply.status());
        };
    }

    /** The form of a value in a history: a short text as it is, others as length and digest. */
    private static String shown(byte[] value) {
        if (value.length <= 100) {
            String text = new String(value, StandardCharsets.UTF_8);
            if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value)) {
                return text;
            }
        }
        return value.length + " bytes, SHA-256 " + Hashing.sha256().hashBytes(value);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
