package dev.quorate.node.api.answer;

import dev.quorate.node.api.answer.GzipStream.FastGzip;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Compresses ranges and pages for clients that accept gzip (RFC 9110, 12.5.3): ranges on a
 * background thread, pages on the thread that made them. Beyond {@link #MAX_STREAMS} ranges at
 * once, further ones are sent uncompressed.
 */
public final class Gzip {

    /** Shorter pages are sent uncompressed. */
    private static final int MIN_BYTES = 1_024;

    /** Maximum number of compressed ranges at once: each takes 300 KiB outside the heap. */
    public static final int MAX_STREAMS = 32;

    private final Executor executor;
    private final AtomicInteger open = new AtomicInteger();

    /** The last page: one response may answer many requests. */
    private volatile @Nullable Compressed last;

    private record Compressed(HttpResponse plain, HttpResponse compressed) {}

    /**
     * @param executor compresses ranges; must accept {@link #MAX_STREAMS} tasks
     */
    public Gzip(Executor executor) {
        this.executor = executor;
    }

    /** Whether the client accepts gzip by name. */
    public static boolean isAccepted(HttpHeaders headers) {
        String codings = headers.first("accept-encoding");
        if (codings == null) {
            return false;
        }
        for (String each : codings.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = each.split(";", 2);
            String weight = parts.length < 2 ? "" : parts[1].strip();
            if (parts[0].strip().equals("gzip")) {
                return !weight.matches("q\\s*=\\s*0(\\.0*)?");
            }
        }
        return false;
    }

    /** Begins a range, compressed unless too many are. */
    public void stream(HttpExchange exchange, HttpResponse head, StreamSource source) {
        if (open.incrementAndGet() > MAX_STREAMS) {
            open.decrementAndGet();
            exchange.stream(head, source);
        } else {
            exchange.stream(
                    coded(head, head.body()),
                    new GzipStream(source, executor, open::decrementAndGet));
        }
    }

    /** The compressed form of a page, unless it is short or a refusal. */
    @SuppressWarnings("ReferenceEquality") // the same response, not the same bytes
    public HttpResponse page(HttpResponse response) {
        if (response.status() != 200 || response.body().length < MIN_BYTES) {
            return response;
        }
        Compressed known = last;
        if (known != null && known.plain == response) {
            return known.compressed;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(response.body().length / 4);
        try (FastGzip gzip = new FastGzip(out)) {
            gzip.write(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Writes to an array do not fail.
        }
        HttpResponse compressed = coded(response, out.toByteArray());
        last = new Compressed(response, compressed);
        return compressed;
    }

    private static HttpResponse coded(HttpResponse response, byte[] body) {
        List<String> headers = new ArrayList<>(response.headers());
        headers.add("Content-Encoding: gzip");
        if (headers.stream().noneMatch(line -> line.startsWith("Vary:"))) {
            headers.add("Vary: Accept-Encoding");
        }
        return new HttpResponse(response.status(), headers, response.more(), body);
    }
}
