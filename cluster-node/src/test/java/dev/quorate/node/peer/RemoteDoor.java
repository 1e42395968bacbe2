package dev.quorate.node.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHandler;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.HttpLimits;
import dev.quorate.node.http.connection.HttpListener;
import dev.quorate.node.http.connection.TestListener;
import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.FrameHeader;
import dev.quorate.router.message.Lane;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.runtime.Deadlines;
import dev.quorate.router.runtime.ExecutorScheduler;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.transport.Identity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import org.slf4j.MDC;

/**
 * A peer's door behind a real socket. It can be shut, so that what is asked waits, and it counts
 * how many exchanges of a lane it holds at once.
 */
final class RemoteDoor implements AutoCloseable {

    private static final int OPERATION_COUNT_OFFSET = 55;
    private static final int VERSION_OFFSET = 4;
    private static final int LANE_OFFSET = 6;

    private static final HttpExchange UNANSWERED =
            new HttpExchange() {
                @Override
                public void respond(HttpResponse response) {}

                @Override
                public void stream(HttpResponse head, StreamSource source) {
                    throw new IllegalStateException();
                }
            };

    private final ExecutorScheduler listenerScheduler = new ExecutorScheduler("timer");
    private final HttpListener listener;
    final PeerDoor door;

    /** The numbers of the members whose exchanges were taken. */
    final Set<Integer> heard = ConcurrentHashMap.newKeySet();

    private final Answerer answerer;

    /** Does what is asked, and says 503 all the same, as a listener out of memory would. */
    volatile boolean noRoomForAnswers;

    /** Each exchange comes twice, and its sender has the answer to the second. */
    volatile boolean repeatsExchanges;

    /** It refuses messages of later versions. */
    volatile int latestVersion = FrameHeader.VERSION;

    /** The traces in the frames with operations. */
    final List<String> traces = new CopyOnWriteArrayList<>();

    /** Answers in the lane for control. */
    private volatile BiConsumer<ReplicaRequest.Tell, AnswerCallback> onTell =
            (tell, callback) -> {};

    private boolean shut;
    private final List<Runnable> waiting = new ArrayList<>();

    /** By lane: exchanges with operations, held now and at most. */
    private final AtomicIntegerArray held = new AtomicIntegerArray(Lane.values().length);

    final AtomicIntegerArray mostHeld = new AtomicIntegerArray(Lane.values().length);
    final AtomicInteger batches = new AtomicInteger();

    RemoteDoor(Identity identity, Answerer answerer, Ticker ticker, Scheduler scheduler, int port)
            throws IOException {
        this.answerer = answerer;
        door =
                new PeerDoor(
                        identity,
                        this::ask,
                        new Deadlines(ticker, scheduler),
                        ticker,
                        heard::add,
                        Pair.SLOW);
        HttpHandler counting = this::count;
        listener =
                TestListener.startAt(
                        port,
                        1,
                        HttpLimits.defaults(),
                        counting,
                        SystemTicker.INSTANCE,
                        listenerScheduler);
    }

    /** Connections so far. */
    long accepted() {
        return listener.statistics().accepted.sum();
    }

    /** Requests that the door has refused, although their seal was right. */
    long refused() {
        return refused(door);
    }

    static long refused(PeerDoor door) {
        return door.figures()
                .count("peer_requests_refused", "reason", "membership_clock_or_replay");
    }

    void onTell(BiConsumer<ReplicaRequest.Tell, AnswerCallback> answer) {
        onTell = answer;
    }

    int port() {
        return listener.port();
    }

    private void count(HttpRequest request, HttpExchange exchange) {
        byte[] frame = request.body();
        if (frame.length > VERSION_OFFSET && frame[VERSION_OFFSET] > latestVersion) {
            exchange.respond(
                    new HttpResponse(
                            400,
                            List.of("Content-Type: text/plain; charset=us-ascii"),
                            "protocol version 5, and here it is 4".getBytes(US_ASCII)));
            return;
        }
        boolean isProbe =
                frame.length <= OPERATION_COUNT_OFFSET
                        || (frame[OPERATION_COUNT_OFFSET] == 0
                                && frame[OPERATION_COUNT_OFFSET - 1] == 0);
        if (isProbe) {
            door.handle(request, exchange);
            return;
        }
        int lane = frame[LANE_OFFSET];
        int now = held.incrementAndGet(lane);
        mostHeld.accumulateAndGet(lane, now, Math::max);
        batches.incrementAndGet();
        if (repeatsExchanges) {
            door.handle(request, UNANSWERED);
        }
        door.handle(
                request,
                new HttpExchange() {
                    @Override
                    public void respond(HttpResponse response) {
                        held.decrementAndGet(lane);
                        exchange.respond(
                                noRoomForAnswers ? Problem.response(503, "no room") : response);
                    }

                    @Override
                    public void stream(HttpResponse head, StreamSource source) {
                        throw new IllegalStateException();
                    }
                });
    }

    private void ask(
            Lane lane, ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
        if (request instanceof ReplicaRequest.Tell tell) {
            onTell.accept(tell, callback);
            return;
        }
        String trace = MDC.get("trace");
        if (trace != null) {
            traces.add(trace);
        }
        synchronized (this) {
            if (shut) {
                waiting.add(() -> answerer.ask(lane, request, deadlineNanos, callback));
                return;
            }
        }
        answerer.ask(lane, request, deadlineNanos, callback);
    }

    /** All that a replica is asked, in whatever lane. */
    static Answerer of(Replica replica) {
        return (lane, request, deadlineNanos, callback) ->
                replica.ask(request, deadlineNanos, callback);
    }

    /** From now on, what is asked waits. */
    synchronized void shut() {
        shut = true;
    }

    /** How many operations wait. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** What waits is done now. */
    void open() {
        List<Runnable> all;
        synchronized (this) {
            shut = false;
            all = new ArrayList<>(waiting);
            waiting.clear();
        }
        all.forEach(Runnable::run);
    }

    @Override
    public void close() {
        listener.close();
        listenerScheduler.close();
    }
}
