package dev.quorate.node.api;

import dev.quorate.node.api.answer.AnswerContext;
import dev.quorate.node.api.answer.ClientObserver.Operation;
import dev.quorate.node.api.answer.EntityAnswer;
import dev.quorate.node.api.answer.ReadCondition;
import dev.quorate.node.api.answer.ValueRange;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.node.api.request.RequestRefusedException;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import dev.quorate.node.http.budget.AddressCounts;
import dev.quorate.router.coordinator.Operations;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.coordinator.waiting.Positions;
import dev.quorate.router.coordinator.waiting.PrefixWait;
import dev.quorate.router.coordinator.waiting.Wait;
import dev.quorate.router.coordinator.waiting.Waits;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads of entities, at once or after a change. One address has a part of a node's waits. */
final class EntityReads {

    private static final int MAX_WAITS_OF_ADDRESS = Waits.MAX / 4;
    private static final byte[] NOTHING = {};
    private static final HttpResponse STOPPING =
            Problem.busy("The node stops. Wait at another one.").response();

    private final Operations operations;
    private final AnswerContext answers;
    private final AddressCounts addresses = new AddressCounts(MAX_WAITS_OF_ADDRESS);

    EntityReads(Operations operations, AnswerContext answers) {
        this.operations = operations;
        this.answers = answers;
    }

    /**
     * @param rawWait how long to wait for a change; null to answer at once
     */
    void read(
            HttpRequest request,
            EntityAnswer.Asked asked,
            @Nullable String rawWait,
            HttpExchange exchange)
            throws RequestRefusedException {
        HttpHeaders headers = request.headers();
        ValueRange range = ValueRange.of(request.method(), headers);
        Duration time = RequestReader.waitTime(rawWait);
        if (time == null) {
            ReadCondition condition = ReadCondition.of(headers);
            operations.read(
                    asked.key(),
                    asked.spec(),
                    EntityAnswer.ofRead(answers, asked, range, condition, exchange));
            return;
        }
        ReadCondition condition = ReadCondition.ofWait(headers);
        var wait = new Wait.Asked(asked.key(), asked.spec(), ReadCondition.isSame(condition), time);
        Supplier<OutcomeCallback> answer =
                () -> {
                    EntityAnswer.Asked now = asked.startedAt(answers.ticker().nanos());
                    return EntityAnswer.ofRead(answers, now, range, condition, exchange);
                };
        begin(whenOver -> operations.waits().begin(wait, answer, whenOver), exchange);
    }

    /**
     * Lists a range, or waits for a change of it, and then answers without a body: it takes a
     * listing to know the change.
     */
    void list(RangeRequest request, HttpExchange exchange, long startedNanos)
            throws RequestRefusedException {
        PrefixWait.Asked watch = request.watch();
        if (watch == null) {
            stream(request, exchange, startedNanos).start();
            return;
        }
        Consumer<@Nullable Positions> answer =
                now ->
                        answer(
                                watch,
                                now,
                                token -> stream(request, exchange, startedNanos).start(token),
                                exchange);
        begin(whenOver -> operations.waits().begin(watch, answer, whenOver), exchange);
    }

    private EntityStream stream(RangeRequest request, HttpExchange exchange, long startedNanos) {
        return new EntityStream(
                operations.scan(request.range(), request.spec(), request.scope(), request.trace()),
                request,
                exchange,
                answers,
                startedNanos);
    }

    /**
     * @param listing answers a request that only asks for a token, with that header line
     */
    private void answer(
            PrefixWait.Asked asked,
            @Nullable Positions now,
            Consumer<String> listing,
            HttpExchange exchange) {
        Positions since = asked.since();
        HttpResponse response = STOPPING;
        if (now != null) {
            String token = "X-Quorate-Watch: " + now.token(asked.prefix());
            if (since == null) {
                listing.accept(token);
                return;
            }
            Positions.Change change = now.since(since);
            boolean isLate = change == Positions.Change.UNKNOWN;
            int status = change == Positions.Change.NONE ? 304 : 204;
            List<String> lines = isLate ? List.of(token, "Retry-After: 1") : List.of(token);
            response = new HttpResponse(status, lines, NOTHING);
        }
        exchange.respond(response);
        answers.observer().answered(Operation.SCAN, response.status(), 0);
    }

    /** Begins a wait, unless this address or the node has too many. */
    private void begin(Function<Runnable, @Nullable Runnable> wait, HttpExchange exchange)
            throws RequestRefusedException {
        String address = exchange.address();
        if (!addresses.tryAdd(address)) {
            throw new RequestRefusedException(
                    Problem.of(429, "This address has as many waits at this node as one may.")
                            .header("Retry-After: 1")
                            .response());
        }
        Runnable whenGone = wait.apply(() -> addresses.remove(address));
        if (whenGone == null) {
            addresses.remove(address);
            throw new RequestRefusedException(
                    Problem.busy("Too many clients wait at this node, or it stops.").response());
        }
        exchange.whenGone(whenGone);
    }
}
