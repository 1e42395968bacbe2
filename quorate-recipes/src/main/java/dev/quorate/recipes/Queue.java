package dev.quorate.recipes;

import dev.quorate.client.Condition;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.Page;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.Range;
import dev.quorate.client.Watch;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A queue of texts. Each item is a key. A consumer takes it by deleting it, so it is taken at most
 * once: an item is lost if its consumer fails before it has processed it. Items are ordered by the
 * clocks of their producers. Thread-safe.
 */
public final class Queue {

    private static final int PAGE = 16;

    private final QuorateClient client;
    private final String prefix;
    private final Range range;

    /**
     * @param prefix of all keys of the queue, and of no others
     */
    public Queue(QuorateClient client, String prefix) {
        this.client = client;
        this.prefix = prefix;
        this.range = Range.withPrefix(prefix).pageEntries(PAGE);
    }

    /**
     * Adds an item of up to 1 MiB.
     *
     * @throws dev.quorate.client.OutcomeUnknownException if it may or may not have been added
     */
    public void put(String item) {
        byte[] value = item.getBytes(StandardCharsets.UTF_8);
        WriteResult result;
        do {
            result = client.putIf(newKey(), value, Condition.ifAbsent(), WriteOptions.DEFAULT);
        } while (result instanceof WriteResult.Unmet);
    }

    private Key newKey() {
        return Key.of(
                String.format(
                        Locale.ROOT,
                        "%s%012x-%016x",
                        prefix,
                        System.currentTimeMillis(),
                        ThreadLocalRandom.current().nextLong()));
    }

    /**
     * Takes an item, about the oldest.
     *
     * @return empty if there is none
     * @throws dev.quorate.client.OutcomeUnknownException if an item may have been taken. Its key is
     *     gone then, or still there
     */
    public Optional<String> poll() {
        // From page to page: deleted items before the first one may fill pages without an entry.
        Page page = client.page(range);
        while (true) {
            for (Entry entry : page.entries()) {
                Condition unchanged = Condition.ifMatch(entry.version());
                if (client.deleteIf(entry.key(), unchanged, WriteOptions.DEFAULT)
                        instanceof WriteResult.Written) {
                    return Optional.of(entry.text());
                }
            }
            if (page.cursor() == null) {
                return Optional.empty();
            }
            page = client.page(range, page.cursor());
        }
    }

    /**
     * Takes an item, and waits for one.
     *
     * @return empty if there was none before the timeout
     * @throws CancellationException if the thread is interrupted
     */
    public Optional<String> take(Duration timeout) {
        long untilNanos = System.nanoTime() + timeout.toNanos();
        Optional<String> item = poll();
        if (item.isPresent()) {
            return item;
        }
        Semaphore changes = new Semaphore(0);
        Watch watch = client.watch(range, (key, version) -> changes.release());
        try {
            while (item.isEmpty()
                    && changes.tryAcquire(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                changes.drainPermits();
                item = poll();
            }
            return item;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        } finally {
            watch.close();
        }
    }
}
