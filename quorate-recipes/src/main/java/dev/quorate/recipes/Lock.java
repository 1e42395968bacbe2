package dev.quorate.recipes;

import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * A lock that a client takes for a lease. It is free again when its holder releases it, or when the
 * lease ends without a renewal.
 *
 * <p>A lock alone does not protect a resource: a holder that was paused for longer than its lease,
 * or whose nodes' clocks differ, may still act while another one has the lock. So pass {@link
 * Held#token} to the resource with each write, and let the resource reject a smaller token than the
 * largest that it has seen. Each holder has a larger token than all before.
 *
 * <p>Thread-safe, and not reentrant.
 */
public final class Lock {

    /** Nodes whose clocks differ by more do not answer each other. */
    private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofMillis(2_500);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(20);
    private static final ReadOptions LINEARIZABLE = ReadOptions.DEFAULT.linearizable();

    private final QuorateClient client;
    private final Key key;
    private final Duration lease;
    private final WriteOptions leased;

    /**
     * @param key has a value while the lock is held
     * @param lease 1 s or more, in whole seconds
     */
    public Lock(QuorateClient client, String key, Duration lease) {
        this.client = client;
        this.key = Key.of(key);
        this.lease = lease;
        this.leased = WriteOptions.DEFAULT.linearizable().timeToLive(lease);
    }

    /**
     * Takes the lock if it is free.
     *
     * @return empty if another holder has it
     * @throws QuorateException if no node could decide. If the lock was taken nevertheless, it is
     *     free after a lease
     */
    public Optional<Held> tryLock() {
        long beganNanos = System.nanoTime();
        byte[] owner = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
        try {
            WriteResult result = client.putIf(key, owner, Condition.ifAbsent(), leased);
            return result instanceof WriteResult.Written written
                    ? Optional.of(new Held(owner, written.version(), beganNanos))
                    : Optional.empty();
        } catch (OutcomeUnknownException e) {
            return read(owner).map(found -> new Held(owner, found.version(), beganNanos));
        }
    }

    /**
     * Takes the lock, and waits until it is free.
     *
     * @return empty if it was not free before the timeout
     * @throws QuorateException as {@link #tryLock}
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public Optional<Held> lock(Duration timeout) {
        long untilNanos = System.nanoTime() + timeout.toNanos();
        while (true) {
            Optional<Held> held = tryLock();
            Duration left = Duration.ofNanos(untilNanos - System.nanoTime());
            if (held.isPresent() || left.isNegative()) {
                return held;
            }
            Optional<Entry> other = client.get(key, LINEARIZABLE);
            if (other.isPresent()) {
                awaitChange(other.get(), left);
            }
        }
    }

    /** The end of a lease does not end a wait, so it lasts no longer than the lease. */
    private void awaitChange(Entry other, Duration longest) {
        Instant expires = other.expires();
        Duration wait = expires == null ? longest : Duration.between(Instant.now(), expires);
        wait = shorter(shorter(wait, longest), lease);
        client.await(
                key,
                other.version(),
                wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait,
                ReadOptions.DEFAULT);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The entry of the lock, if this owner has it. */
    private Optional<Entry> read(byte[] owner) {
        return client.get(key, LINEARIZABLE).filter(found -> Arrays.equals(found.value(), owner));
    }

    /** A lock that was taken. Thread-safe. */
    public final class Held implements AutoCloseable {

        private final byte[] owner;
        private final Version token;
        private Version version;
        private long untilNanos;
        private boolean isLost;

        private Held(byte[] owner, Version token, long beganNanos) {
            this.owner = owner;
            this.token = token;
            this.version = token;
            this.untilNanos = end(beganNanos);
        }

        /** By another node's clock a lease may end earlier than by the clock that it began with. */
        private long end(long beganNanos) {
            Duration margin = shorter(lease.dividedBy(4), MAX_CLOCK_DIFFERENCE);
            return beganNanos + lease.minus(margin).toNanos();
        }

        /** The fencing token: larger than those of all earlier holders of the lock. */
        public Version token() {
            return token;
        }

        /**
         * The time for which this holder may act, by the clock of this machine: from the request
         * that took or renewed the lock, the lease without a quarter of it, or 2.5 s, by which the
         * nodes' clocks may differ. Zero if it is over.
         */
        public synchronized Duration left() {
            return Duration.ofNanos(Math.max(0, untilNanos - System.nanoTime()));
        }

        /**
         * Makes the lease a whole one again, from now on.
         *
         * @return false if the lock was lost, or the lease ends before a node could renew it
         */
        public synchronized boolean renew() {
            for (Duration left = left(); !left.isZero(); left = left()) {
                long beganNanos = System.nanoTime();
                try {
                    WriteResult result =
                            client.expire(key, Condition.ifMatch(version), leased.deadline(left));
                    if (result instanceof WriteResult.Written written) {
                        version = written.version();
                        untilNanos = end(beganNanos);
                        return true;
                    }
                    lose();
                } catch (OutcomeUnknownException e) {
                    read(owner).map(Entry::version).ifPresentOrElse(this::now, this::lose);
                }
            }
            return false;
        }

        private void now(Version current) {
            version = current;
        }

        private void lose() {
            isLost = true;
            untilNanos = System.nanoTime();
        }

        /** Releases the lock. If no node can, it is free after the lease. */
        @Override
        public synchronized void close() {
            if (isLost) {
                return;
            }
            lose();
            try {
                client.deleteIf(key, Condition.ifMatch(version), WriteOptions.DEFAULT);
            } catch (QuorateException e) {
                // The lease ends by itself.
            }
        }
    }
}
