package dev.quorate.node.api;

import dev.quorate.node.access.Caller;
import dev.quorate.node.access.Share;
import dev.quorate.node.http.HttpExchange;
import dev.quorate.node.http.HttpExchange.Place;
import dev.quorate.node.http.HttpHeaders;
import dev.quorate.node.http.HttpRequest;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.node.http.Problem;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what is beyond a client's shares with 429, and counts what it takes of them.
 *
 * <p>A request with a body is refused by its head if its token has sent and received too much, and
 * its body is discarded. Otherwise the length it declares counts at once: a hundred large bodies
 * that arrive together must not all pass because none is complete. A body without a declared length
 * counts when it is complete.
 */
final class ClientShares {

    private static final long SECOND_NANOS = 1_000_000_000;

    private final ApiOptions options;
    private final ApiEffects effects;
    private final ClientObserver observer;

    ClientShares(ApiOptions options, ApiEffects effects, ClientObserver observer) {
        this.options = options;
        this.effects = effects;
        this.observer = observer;
    }

    /** Refuses a request by its head; null to read its body. */
    @Nullable HttpResponse refusalBeforeBody(Caller caller) {
        return caller.countsBytes() ? refusalForBytes(caller, now()) : null;
    }

    /** Counts the body of a request that is read from now on. */
    void charge(Caller caller, HttpHeaders head) {
        if (caller.countsBytes()) {
            caller.spendBytes(declaredBytes(head), now());
        }
    }

    /** Refuses a complete request; null to execute it. Then it is counted. */
    @Nullable HttpResponse refusal(Caller caller, HttpRequest request) {
        long nowNanos = now();
        if (caller.countsBytes()) {
            boolean isChunked = request.headers().first("transfer-encoding") != null;
            HttpResponse refusal =
                    isChunked || declaredBytes(request.headers()) > 0
                            ? null // That was decided by its head.
                            : refusalForBytes(caller, nowNanos);
            if (refusal != null) {
                return refusal;
            }
            if (isChunked) {
                caller.spendBytes(request.body().length, nowNanos);
            }
        }
        long waitNanos = caller.takeRequest(nowNanos);
        return waitNanos == 0 ? null : refusalForRequests(caller, waitNanos);
    }

    /** The same exchange, whose answer counts. */
    HttpExchange counted(Caller caller, HttpRequest request, HttpExchange exchange) {
        if (!caller.countsBytes() || request.method().equals("HEAD")) {
            return exchange;
        }
        boolean isPaced = request.method().equals("GET");
        return new CountedExchange(caller, exchange, isPaced, effects);
    }

    /**
     * Takes a range's place among those of its token.
     *
     * @return leaves it; it may be run again
     */
    Runnable openRange(Caller caller) throws RefusedException {
        if (!caller.tryOpenRange()) {
            throw new RefusedException(
                    refused(
                            Share.TOKEN_RANGES,
                            1,
                            "The token '%s' has as many ranges open at this node as it may, %d."
                                    .formatted(caller.name(), caller.shares().ranges())));
        }
        AtomicBoolean isOpen = new AtomicBoolean(true);
        return () -> {
            if (isOpen.compareAndSet(true, false)) {
                caller.closeRange();
            }
        };
    }

    /**
     * Takes a place for a range's answer, of those of its address.
     *
     * @return null if it has one; otherwise a refusal
     */
    @Nullable HttpResponse takePlace(HttpExchange exchange) {
        Place place = exchange.takePlaceOfAddress(options.rangesPerAddress());
        return switch (place) {
            case TAKEN -> null;
            case NONE -> EntityStream.NO_PLACE;
            case ADDRESS_HAS_ITS_SHARE ->
                    refused(
                            Share.ADDRESS_RANGES,
                            1,
                            "This address has as many ranges open at this node as one may, %d."
                                    .formatted(options.rangesPerAddress()));
        };
    }

    private @Nullable HttpResponse refusalForBytes(Caller caller, long nowNanos) {
        long waitNanos = caller.bytesWaitNanos(nowNanos);
        return waitNanos == 0
                ? null
                : refused(
                        Share.TOKEN_BYTES,
                        seconds(waitNanos),
                        "The token '%s' may send and receive %s a second at this node, and has had more."
                                .formatted(caller.name(), caller.shares().bytesText()));
    }

    private HttpResponse refusalForRequests(Caller caller, long waitNanos) {
        return refused(
                Share.TOKEN_REQUESTS,
                seconds(waitNanos),
                "The token '%s' may send %d requests a second to this node, and has sent more."
                        .formatted(caller.name(), caller.shares().requestsPerSecond()));
    }

    private HttpResponse refused(Share share, long afterSeconds, String why) {
        observer.refused(share);
        return Problem.of(
                        429,
                        "%s Nothing was attempted. Try again in %d s.".formatted(why, afterSeconds))
                .header("Retry-After: " + afterSeconds)
                .response();
    }

    private static long seconds(long nanos) {
        return Math.max(1, Math.ceilDiv(nanos, SECOND_NANOS));
    }

    /** The parser has checked it; 0 without a body, or without a length. */
    private static long declaredBytes(HttpHeaders headers) {
        String length = headers.first("content-length");
        return length == null ? 0 : RequestReader.number(length);
    }

    private long now() {
        return effects.ticker().nanos();
    }
}
