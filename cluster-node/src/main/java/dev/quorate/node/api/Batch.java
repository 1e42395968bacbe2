package dev.quorate.node.api;

import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.answer.OperationLog;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.runtime.ByteBudget;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.runtime.Turn;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the lines of a batch: lines with the same key one at a time, in order, and all others at
 * once, so that they share an exchange with each peer. A line that is refused because of overload
 * waits and is retried. Answers when the last line is complete.
 */
final class Batch implements StreamSource {

    /** A line that has not begun within this time is not attempted. */
    static final Duration MAX_DURATION = Duration.ofSeconds(10);

    /** Bodies up to this size are not counted while late replicas need them. */
    private static final int MAX_UNCOUNTED_BYTES = 65_536;

    private static final byte[] EMPTY = {};
    private static final HttpResponse HEAD =
            new HttpResponse(200, List.of("Content-Type: application/x-ndjson"), EMPTY);

    private static final HttpResponse TOO_LATE =
            Problem.response(503, "This line's turn did not come in time. Nothing was attempted.");

    private static final HttpResponse FAILED =
            Problem.response(500, "The server failed to handle this line.");

    private static final Logger LOG = LoggerFactory.getLogger(Batch.class);

    /**
     * The context shared by all batches of a node.
     *
     * @param room the budget for small values and problems until they are sent
     * @param roomOfAddress the share of {@code room} that each client address uses
     */
    record Context(
            Operations operations,
            ByteBudget room,
            AddressCounts roomOfAddress,
            AnswerContext answers) {

        private Ticker ticker() {
            return answers.ticker();
        }

        private ClientObserver observer() {
            return answers.observer();
        }
    }

    /**
     * The parameters that apply to all lines.
     *
     * @param trace the trace of the request; null without one
     */
    record Request(
            QuorumSpec spec, boolean isLinearizable, @Nullable TraceParent trace, int bodyBytes) {}

    private final Context context;
    private final Request request;
    private final List<BatchLine> lines;
    private final HttpExchange exchange;
    private final Runnable whenClosed;
    private final long startedNanos;
    private final boolean isBodyCounted;
    private final Runnable releaseBody;

    /** Number of users of the body while it is counted: the lines, and late replicas. */
    private final AtomicInteger bodyUsers = new AtomicInteger(1);

    /** Each is written before {@link #pending} is decremented, and read when that is 0. */
    private final @Nullable BatchAnswer[] answers;

    private final HeldRoom[] rooms;

    /** Bytes reserved in the share of the client address until this is closed. */
    private final AtomicLong reservedBytes = new AtomicLong();

    private final AtomicInteger pending;

    /** The next line to send. Guarded by this, as are the rooms once all lines are complete. */
    private int position;

    /**
     * Creates a batch that has not begun.
     *
     * @param whenClosed runs once
     */
    Batch(
            Context context,
            Request request,
            List<BatchLine> lines,
            HttpExchange exchange,
            Runnable whenClosed) {
        this.context = context;
        this.request = request;
        this.lines = lines;
        this.exchange = exchange;
        this.whenClosed = whenClosed;
        startedNanos = context.ticker().nanos();
        isBodyCounted = request.bodyBytes() > MAX_UNCOUNTED_BYTES;
        releaseBody = isBodyCounted ? exchange.retainBody() : () -> {};
        answers = new BatchAnswer[lines.size()];
        rooms = new HeldRoom[lines.size()];
        Arrays.fill(rooms, HeldRoom.NONE);
        pending = new AtomicInteger(lines.size());
    }

    /** Begins all lines that wait for no other. */
    void start() {
        Map<ByteBuffer, Chain> chains = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            switch (lines.get(i)) {
                case BatchLine.Get(byte[] key, var _) -> chain(chains, key).add(i);
                case BatchLine.Write write -> chain(chains, write.key()).add(i);
                case BatchLine.Refused(HttpResponse problem) -> {
                    answers[i] = withRoom(i, BatchAnswer.of(problem));
                    context.observer().answered(Operation.OTHER, problem.status(), 0);
                    pending.decrementAndGet();
                }
            }
        }
        if (chains.isEmpty()) {
            answer();
        } else {
            Turn.together(() -> chains.values().forEach(Chain::advance));
        }
    }

    private Chain chain(Map<ByteBuffer, Chain> chains, byte[] key) {
        return chains.computeIfAbsent(ByteBuffer.wrap(key), k -> new Chain());
    }

    /** The lines with one key. */
    private final class Chain {

        private final Queue<Integer> waiting = new ArrayDeque<>();

        /** The thread that raises it from 0 begins the lines, so that the stack remains flat. */
        private final AtomicInteger events = new AtomicInteger();

        void add(int line) {
            waiting.add(line);
        }

        /** Begins the next line; called at the start, and when a line is complete. */
        void advance() {
            if (events.getAndIncrement() > 0) {
                return;
            }
            do {
                Integer line = waiting.poll();
                if (line != null) {
                    begin(line, this);
                }
            } while (events.decrementAndGet() > 0);
        }
    }

    private void begin(int index, Chain chain) {
        LineCallback callback = new LineCallback(index, chain);
        if (context.ticker().nanos() - startedNanos > MAX_DURATION.toNanos()) {
            callback.answered(BatchAnswer.of(TOO_LATE));
            return;
        }
        try {
            switch (lines.get(index)) {
                case BatchLine.Get(byte[] key, var _) ->
                        context.operations().read(key, request.spec(), callback);
                case BatchLine.Write write -> write(write, callback);
                case BatchLine.Refused refused -> throw new AssertionError(refused);
            }
        } catch (RuntimeException bug) {
            LOG.error("A line of a batch failed by a bug", bug);
            callback.answered(BatchAnswer.of(FAILED));
        }
    }

    private void write(BatchLine.Write write, OutcomeCallback callback) {
        Operations operations = context.operations();
        NewValue value = write.value();
        QuorumSpec spec = request.spec();
        if (write.condition() != null) {
            operations.writeIf(
                    write.key(), value, write.condition(), write.version(), spec, callback);
        } else {
            boolean isLinearizable = request.isLinearizable();
            operations.write(write.key(), value, write.version(), spec, isLinearizable, callback);
        }
    }

    private final class LineCallback implements OutcomeCallback {

        private final int index;
        private final Chain chain;
        private final long begunNanos = context.ticker().nanos();
        private final AtomicBoolean isAnswered = new AtomicBoolean();

        LineCallback(int index, Chain chain) {
            this.index = index;
            this.chain = chain;
        }

        @Override
        public @Nullable Runnable retainValue() {
            if (!isBodyCounted) {
                return null;
            }
            bodyUsers.incrementAndGet();
            AtomicBoolean isReleased = new AtomicBoolean();
            return () -> {
                if (isReleased.compareAndSet(false, true)) {
                    leaveBody();
                }
            };
        }

        @Override
        public void acceptRoom(HeldRoom room) {
            rooms[index] = room;
        }

        @Override
        public @Nullable TraceParent trace() {
            return request.trace();
        }

        @Override
        public boolean isExplained() {
            return context.answers().log().isSlow(nanos());
        }

        private long nanos() {
            return context.ticker().nanos() - begunNanos;
        }

        @Override
        public void completed(Outcome outcome) {
            ended(outcome, null);
        }

        @Override
        public void completed(Outcome outcome, Explanation explanation) {
            ended(outcome, explanation);
        }

        private void ended(Outcome outcome, @Nullable Explanation explanation) {
            BatchLine line = lines.get(index);
            if (outcome instanceof Outcome.Refused refused && refused.isOverload()) {
                context.operations()
                        .whenRoom(line instanceof BatchLine.Write, () -> begin(index, chain));
                return;
            }
            TraceParent shown = context.answers().shown(outcome, request.trace());
            BatchAnswer answer = BatchAnswer.of(line, outcome, shown);
            long nanos = nanos();
            if (context.answers().log().isLogged(nanos, OperationLog.isFailure(outcome))) {
                context.answers()
                        .write(
                                new OperationLog.Line(
                                        operation(line),
                                        answer.status(),
                                        request.spec(),
                                        key(line),
                                        valueBytes(line),
                                        shown,
                                        OperationLog.explanation(outcome, explanation),
                                        nanos));
            }
            answered(answer);
        }

        void answered(BatchAnswer answer) {
            if (!isAnswered.compareAndSet(false, true)) {
                return;
            }
            long nanos = nanos();
            BatchAnswer kept = withRoom(index, answer);
            answers[index] = kept;
            context.observer()
                    .answered(operation(lines.get(index)), kept.status(), request.spec(), nanos);
            if (pending.decrementAndGet() == 0) {
                answer();
            }
            chain.advance();
        }
    }

    /** The answer with memory reserved until it is sent, or without its value or body. */
    private BatchAnswer withRoom(int index, BatchAnswer answer) {
        if (answer.found() == null) {
            rooms[index].release();
        }
        int bytes = answer.heldBytes();
        if (rooms[index].bytes() > 0 || bytes == 0) {
            return answer;
        }
        String address = exchange.address();
        if (!context.roomOfAddress().tryAdd(address, bytes)) {
            return answer.withoutRoom();
        }
        if (!context.room().tryReserve(bytes)) {
            context.roomOfAddress().remove(address, bytes);
            return answer.withoutRoom();
        }
        reservedBytes.addAndGet(bytes);
        rooms[index] = new HeldRoom(context.room(), bytes);
        return answer;
    }

    private static Operation operation(BatchLine line) {
        return switch (line) {
            case BatchLine.Get get -> Operation.GET;
            case BatchLine.Write write -> write.value() == null ? Operation.DELETE : Operation.PUT;
            case BatchLine.Refused refused -> Operation.OTHER;
        };
    }

    private static byte @Nullable [] key(BatchLine line) {
        return switch (line) {
            case BatchLine.Get get -> get.key();
            case BatchLine.Write write -> write.key();
            case BatchLine.Refused refused -> null;
        };
    }

    private static int valueBytes(BatchLine line) {
        NewValue value = line instanceof BatchLine.Write write ? write.value() : null;
        return value == null ? 0 : value.bytes().length;
    }

    private void leaveBody() {
        if (bodyUsers.decrementAndGet() == 0) {
            releaseBody.run();
        }
    }

    private void answer() {
        leaveBody();
        exchange.stream(HEAD, this);
        long nanos = context.ticker().nanos() - startedNanos;
        context.observer().answered(Operation.BATCH, HEAD.status(), nanos);
    }

    @Override
    public void pull(StreamSink sink) {
        boolean isComplete;
        synchronized (this) {
            isComplete = write(sink);
        }
        if (isComplete) {
            sink.end();
        } else {
            sink.more();
        }
    }

    /** Writes one delivery; returns whether it was the last. */
    private boolean write(StreamSink sink) {
        long bytes = 0;
        for (; position < answers.length; position++) {
            BatchAnswer answer = Objects.requireNonNull(answers[position]);
            bytes += answer.bytes();
            if (bytes > StreamSink.DELIVERY_BYTES && bytes > answer.bytes()) {
                return false;
            }
            answer.write(sink);
            rooms[position].release();
        }
        return true;
    }

    @Override
    public void close() {
        synchronized (this) {
            for (HeldRoom room : rooms) {
                room.release();
            }
        }
        context.roomOfAddress().remove(exchange.address(), reservedBytes.getAndSet(0));
        whenClosed.run();
    }
}
