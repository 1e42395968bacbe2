package dev.quorate.node.api;

import dev.quorate.node.access.Caller;
import dev.quorate.node.http.HttpExchange.StreamSink;
import dev.quorate.node.http.HttpExchange.StreamSource;
import dev.quorate.node.runtime.Scheduler.Cancellable;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A streamed answer whose bytes count for a caller. A range waits before each delivery until the
 * caller may receive again: otherwise a long one would be without a limit. The answer to a batch
 * does not: it is in memory until it is sent.
 */
final class CountedStream implements StreamSource {

    /**
     * A caller that has to wait for longer, because of what else it has sent and received, has this
     * answer cut off: it occupies a place. More than a whole delivery takes at the lowest rate.
     */
    static final Duration MAX_WAIT = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(CountedStream.class);

    /** The most at once: as many ranges as there may be. */
    static final int MAX_OPEN = 1_024;

    private final Caller caller;
    private final StreamSource source;
    private final boolean isPaced;
    private final ApiEffects effects;

    // Guarded by this.
    private @Nullable Cancellable waiting;
    private boolean isClosed;

    /**
     * @param isPaced whether it waits; otherwise it is only counted
     */
    CountedStream(Caller caller, StreamSource source, boolean isPaced, ApiEffects effects) {
        this.caller = caller;
        this.isPaced = isPaced;
        this.source = source;
        this.effects = effects;
    }

    @Override
    public void pull(StreamSink sink) {
        long waitNanos = isPaced ? caller.bytesWaitNanos(effects.ticker().nanos()) : 0;
        if (waitNanos == 0) {
            source.pull(new CountingSink(sink));
        } else if (waitNanos > MAX_WAIT.toNanos()) {
            sink.abort();
        } else {
            await(Duration.ofNanos(waitNanos), sink);
        }
    }

    private synchronized void await(Duration delay, StreamSink sink) {
        if (!isClosed) {
            waiting = effects.scheduler().after(delay, () -> resume(sink));
        }
    }

    /** Others may have taken what there was meanwhile: then it waits again. */
    private void resume(StreamSink sink) {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            waiting = null;
        }
        try {
            effects.background().execute(() -> pullAgain(sink));
        } catch (RejectedExecutionException e) {
            sink.abort(); // The node is stopping.
        }
    }

    private void pullAgain(StreamSink sink) {
        try {
            pull(sink);
        } catch (RuntimeException | Error bug) {
            LOG.error("A range failed by a bug", bug);
            sink.abort();
        }
    }

    @Override
    public void cutOff(String why) {
        source.cutOff(why);
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            if (waiting != null) {
                waiting.cancel();
                waiting = null;
            }
        }
        source.close();
    }

    /** Counts one delivery. */
    private final class CountingSink implements StreamSink {

        private final StreamSink sink;
        private long bytes;

        CountingSink(StreamSink sink) {
            this.sink = sink;
        }

        @Override
        public void chunk(byte[]... parts) {
            for (byte[] part : parts) {
                bytes += part.length;
            }
            sink.chunk(parts);
        }

        /** Before the delivery ends: the next pull may come from within. */
        private void count() {
            caller.spendBytes(bytes, effects.ticker().nanos());
        }

        @Override
        public void more() {
            count();
            sink.more();
        }

        @Override
        public void end() {
            count();
            sink.end();
        }

        @Override
        public void abort() {
            count();
            sink.abort();
        }
    }
}
