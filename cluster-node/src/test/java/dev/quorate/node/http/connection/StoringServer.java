package dev.quorate.node.http.connection;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.ManualTime;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A listener whose handler stores bodies by the targets they come with. */
final class StoringServer implements AutoCloseable {

    private static final byte[] NOTHING = {};

    final HttpListener listener;
    final Map<String, byte[]> values = new ConcurrentHashMap<>();

    /** How many requests have asked for a change. */
    final AtomicInteger writes = new AtomicInteger();

    /** The answers to writes of {@code /later}, which hold their room until one of these runs. */
    final Queue<Runnable> later = new ConcurrentLinkedQueue<>();

    /** Requests for {@code /hold}, which hold their selector's thread until they get a permit. */
    final AtomicInteger holding = new AtomicInteger();

    final Semaphore permits = new Semaphore(0);

    private final @Nullable ExecutorScheduler scheduler;

    static StoringServer start() throws IOException {
        return new StoringServer(HttpLimits.defaults(), null);
    }

    static StoringServer start(HttpLimits limits) throws IOException {
        return new StoringServer(limits, null);
    }

    /** In time that the test moves. */
    static StoringServer start(HttpLimits limits, ManualTime time) throws IOException {
        return new StoringServer(limits, time);
    }

    private StoringServer(HttpLimits limits, @Nullable ManualTime time) throws IOException {
        scheduler = time == null ? new ExecutorScheduler("timer") : null;
        Ticker ticker = time == null ? SystemTicker.INSTANCE : time;
        Scheduler timer = time == null ? scheduler : time;
        listener = TestListener.start(2, limits, this::handle, ticker, timer);
    }

    private void handle(HttpRequest request, HttpExchange exchange) {
        Runnable answer = () -> exchange.respond(answer(request));
        if (request.path().equals("/later")) {
            later.add(answer);
        } else {
            if (request.path().equals("/hold")) {
                holding.incrementAndGet();
                permits.acquireUninterruptibly();
            }
            answer.run();
        }
    }

    private HttpResponse answer(HttpRequest request) {
        if (request.path().equals("/status")) {
            return ok("The server serves.".getBytes(StandardCharsets.US_ASCII));
        }
        return switch (request.method()) {
            case "GET" -> {
                byte[] value = values.get(request.path());
                yield value == null ? Problem.response(404, "Nothing is stored here.") : ok(value);
            }
            case "PUT" -> {
                writes.incrementAndGet();
                values.put(request.path(), request.body());
                yield new HttpResponse(201, List.of(), NOTHING);
            }
            case "DELETE" -> {
                writes.incrementAndGet();
                values.remove(request.path());
                yield new HttpResponse(202, List.of(), NOTHING);
            }
            default -> Problem.response(405, "Only GET, PUT and DELETE.");
        };
    }

    private static HttpResponse ok(byte[] body) {
        return new HttpResponse(200, List.of(), body);
    }

    RawClient client() throws IOException {
        return new RawClient(listener.port());
    }

    @Override
    public void close() {
        listener.close();
        if (scheduler != null) {
            scheduler.close();
        }
    }
}
