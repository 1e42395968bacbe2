package dev.quorate.client;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A watch of a range, see {@link QuorateClient#watch}. */
public final class Watch implements AutoCloseable {

    /** Is called for each change, on the thread of the watch. */
    public interface Listener {

        /** A key has another version than before, or none any more. */
        void changed(Key key, Optional<Version> version);

        /**
         * No node can be asked. Called once until one can. If it is a {@link RefusedException}, the
         * watch has ended.
         */
        default void failed(QuorateException why) {}
    }

    private static final long PERIOD_NANOS = 1_000_000_000;

    private final QuorateClient client;
    private final Range range;
    private final Listener listener;
    private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
    private NavigableMap<Key, Version> known = new TreeMap<>();

    private Watch(QuorateClient client, Range range, Listener listener) {
        this.client = client;
        this.range = range;
        this.listener = listener;
    }

    static Watch begin(QuorateClient client, Range range, Listener listener) {
        Watch watch = new Watch(client, range, listener);
        Thread thread = new Thread(watch::run, "quorate-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    private void run() {
        boolean isFailing = false;
        while (!closed.isDone()) {
            long listedNanos = client.effects().nanos();
            try {
                listAndWait();
                isFailing = false;
            } catch (QuorateException e) {
                if (!isFailing && !closed.isDone()) {
                    listener.failed(e);
                }
                if (e instanceof RefusedException) {
                    return;
                }
                isFailing = true;
            }
            // While a member is down, all watches list again: not all at the same moment.
            long later = Long.remainderUnsigned(client.effects().random(), PERIOD_NANOS / 4);
            long left = listedNanos + PERIOD_NANOS + later - client.effects().nanos();
            closed.copy().completeOnTimeout(true, left, TimeUnit.NANOSECONDS).join();
        }
    }

    private void listAndWait() {
        String[] token = {""};
        boolean expires = false;
        NavigableMap<Key, Version> now = new TreeMap<>();
        Page page = client.firstPage(range, each -> token[0] = each);
        for (;
                page != null;
                page = page.cursor() == null ? null : client.page(range, page.cursor())) {
            for (Entry entry : page.entries()) {
                now.put(entry.key(), entry.version());
                expires |= entry.expires() != null;
            }
        }
        if (closed.isDone()) {
            return;
        }
        now.forEach(
                (key, version) -> {
                    if (!version.equals(known.remove(key))) {
                        listener.changed(key, Optional.of(version));
                    }
                });
        known.keySet().forEach(key -> listener.changed(key, Optional.empty()));
        known = now;
        // The end of a value by its time to live ends no wait.
        while (!isOver(token[0]) && !expires) {}
    }

    /** Waits for a change, or until this is closed. */
    private boolean isOver(String token) {
        CompletableFuture<Boolean> wait = client.async().await(range, token);
        try {
            return QuorateClient.await(closed.applyToEither(wait, found -> found));
        } finally {
            wait.cancel(true);
        }
    }

    /** Ends the watch. A call of the listener in progress is not awaited. */
    @Override
    public void close() {
        closed.complete(true);
    }
}
