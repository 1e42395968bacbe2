package dev.quorate.recipes;

import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.WriteOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A rate that many clients share: a number of permits in a period, which come back evenly. It is
 * the generic cell rate algorithm (ITU-T I.371): the key has the moment at which all permits are
 * back. It is as exact as the clients' clocks agree; a client whose clock is ahead delays the
 * others by that difference, and by at most two periods. Each permit is a read and a write of the
 * key, so it suits limits of up to some hundred a second. Thread-safe.
 */
public final class RateLimiter {

    private static final long NANOS = 1_000_000_000;

    private final QuorateClient client;
    private final Key key;
    private final long periodNanos;
    private final long permitNanos;
    private final WriteOptions options;

    /**
     * @param key of this limit, for example of one user; it vanishes when it is not used
     * @param permits 1 or more
     * @param period in which all permits come back, up to a year
     */
    public RateLimiter(QuorateClient client, String key, int permits, Duration period) {
        if (permits < 1 || period.compareTo(Duration.ofNanos(permits)) < 0) {
            throw new IllegalArgumentException(permits + " permits in " + period);
        }
        this.client = client;
        this.key = Key.of(key);
        this.periodNanos = period.toNanos();
        this.permitNanos = periodNanos / permits;
        // Twice, because the clocks of clients and nodes may differ.
        this.options =
                WriteOptions.DEFAULT.timeToLive(Duration.ofSeconds(2 * (periodNanos / NANOS) + 2));
    }

    /**
     * Takes a permit if there is one.
     *
     * @throws dev.quorate.client.QuorateException if it is not known. A permit may be taken
     */
    public boolean tryAcquire() {
        long nowNanos = System.currentTimeMillis() * 1_000_000;
        boolean[] isTaken = {false};
        client.update(
                key,
                found -> {
                    long backNanos = Math.max(nowNanos, found.map(this::number).orElse(0L));
                    isTaken[0] = backNanos + permitNanos - nowNanos <= periodNanos;
                    return isTaken[0]
                            ? Optional.of(bytes(backNanos + permitNanos))
                            : found.map(Entry::value);
                },
                options);
        return isTaken[0];
    }

    private long number(Entry entry) {
        return Long.parseLong(entry.text());
    }

    private static byte[] bytes(long number) {
        return String.valueOf(number).getBytes(StandardCharsets.UTF_8);
    }
}
