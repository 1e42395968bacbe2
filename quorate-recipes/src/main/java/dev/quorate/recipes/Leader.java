package dev.quorate.recipes;

import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Version;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One of several candidates is the leader, while it renews the lease of a {@link Lock}. Each
 * candidate has a thread, which takes the lock, and then renews it three times in a lease. The
 * lock's rules hold: two may believe for a moment that they lead, so what the leader writes must
 * carry its {@linkplain #term term}.
 */
public final class Leader implements AutoCloseable {

    /**
     * Is called on the candidate's thread; the lease is not renewed meanwhile. An exception ends
     * the candidacy.
     */
    public interface Listener {

        /**
         * This candidate leads.
         *
         * @param term the fencing token, larger than that of every earlier leader
         */
        void elected(Version term);

        /** This candidate no longer leads. */
        void deposed();
    }

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final int RENEWALS = 3;

    private final Lock lock;
    private final Duration lease;
    private final Listener listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "quorate-leader");
    private volatile Lock.@Nullable Held held;

    private Leader(Lock lock, Duration lease, Listener listener) {
        this.lock = lock;
        this.lease = lease;
        this.listener = listener;
    }

    /**
     * Becomes a candidate.
     *
     * @param key of the lock
     * @param lease 1 s or more, in whole seconds: how long a leader that vanishes is not replaced
     */
    public static Leader campaign(
            QuorateClient client, String key, Duration lease, Listener listener) {
        Leader leader = new Leader(new Lock(client, key, lease), lease, listener);
        leader.thread.setDaemon(true);
        leader.thread.start();
        return leader;
    }

    /** The fencing token of this candidate; empty while it does not lead. */
    public Optional<Version> term() {
        Lock.Held now = held;
        return now == null || now.left().isZero() ? Optional.empty() : Optional.of(now.token());
    }

    private void run() {
        try {
            while (!isClosed(Duration.ZERO)) {
                try {
                    Optional<Lock.Held> taken = lock.lock(LONGEST_WAIT);
                    if (taken.isPresent()) {
                        lead(taken.get());
                    }
                } catch (QuorateException e) {
                    isClosed(lease.dividedBy(RENEWALS));
                }
            }
        } catch (CancellationException | InterruptedException e) {
            // Closed.
        }
    }

    private void lead(Lock.Held now) throws InterruptedException {
        held = now;
        try {
            listener.elected(now.token());
            while (!isClosed(lease.dividedBy(RENEWALS)) && now.renew()) {}
        } finally {
            held = null;
            listener.deposed();
            boolean isInterrupted = Thread.interrupted();
            now.close();
            if (isInterrupted) {
                thread.interrupt();
            }
        }
    }

    private boolean isClosed(Duration wait) throws InterruptedException {
        return closed.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the candidacy, after {@code deposed} if it leads. The listener may call it. */
    @Override
    public void close() {
        closed.countDown();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
