package dev.quorate.node.peer;

import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.LineLimit;
import dev.quorate.router.runtime.Ticker;
import dev.quorate.router.token.Token;
import dev.quorate.router.topology.LiveTopology;
import dev.quorate.router.topology.Member;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs peers' reads, writes and conditional requests, and traced pages of ranges, that were slow on
 * this node, with the trace that identifies the coordinator's line. Logs the key's token, not the
 * key. Thread-safe.
 */
public final class SlowRequests {

    private static final Logger LOG = LoggerFactory.getLogger("operations");

    private final long slowNanos;
    private final LiveTopology topology;
    private final Ticker ticker;
    private final LineLimit limit;

    /**
     * @param slow the duration from which a request is logged; 0 disables
     */
    public SlowRequests(Duration slow, LiveTopology topology, Ticker ticker) {
        this.slowNanos = slow.toNanos();
        this.topology = topology;
        this.ticker = ticker;
        this.limit = new LineLimit(10, Duration.ofSeconds(1), ticker.nanos());
    }

    /**
     * A request is answered.
     *
     * @param sender the number of the member that asked
     * @param begunNanos when it arrived, in {@code Ticker.nanos} time
     */
    void answered(int sender, ReplicaRequest request, long begunNanos) {
        if (slowNanos == 0 || ticker.nanos() - begunNanos < slowNanos) {
            return;
        }
        switch (request.plain()) {
            case ReplicaRequest.Read(byte[] key) -> write("read", sender, key, request, begunNanos);
            case ReplicaRequest.ReadDigest(byte[] key) ->
                    write("read", sender, key, request, begunNanos);
            case ReplicaRequest.Write write ->
                    write("write", sender, write.entry().key(), request, begunNanos);
            case ReplicaRequest.ToAcceptor asked ->
                    write("conditional", sender, asked.key(), request, begunNanos);
            case ReplicaRequest.ScanPage _ when traceOf(request) != null ->
                    write("range", sender, null, request, begunNanos);
            case ReplicaRequest others -> {} // Background work may take long, and reads pages too.
        }
    }

    private void write(
            String op, int sender, byte @Nullable [] key, ReplicaRequest request, long begunNanos) {
        long nowNanos = ticker.nanos();
        TraceParent trace = traceOf(request);
        limit.write(
                nowNanos,
                omitted -> {
                    LoggingEventBuilder event =
                            LOG.atWarn()
                                    .addKeyValue("op", op)
                                    .addKeyValue("peer", name(sender))
                                    .addKeyValue("millis", (nowNanos - begunNanos) / 1_000_000);
                    if (key != null) {
                        event = event.addKeyValue("token", Token.ofKey(key));
                    }
                    if (trace != null) {
                        event = event.addKeyValue("trace", trace.id());
                    }
                    if (omitted > 0) {
                        event = event.addKeyValue("omitted", omitted);
                    }
                    event.log("A peer's request took long here");
                });
    }

    static @Nullable TraceParent traceOf(ReplicaRequest request) {
        return request instanceof ReplicaRequest.Traced traced ? traced.trace() : null;
    }

    private String name(int number) {
        Member member = topology.current().member(number);
        return member == null ? "unknown" : member.name();
    }
}
