package dev.quorate.node.antientropy;

import dev.quorate.router.background.Backoff;
import dev.quorate.router.background.Job;
import dev.quorate.router.background.Step;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.CorruptionException;
import dev.quorate.storage.Entry;
import dev.quorate.storage.EntryCursor;
import dev.quorate.storage.KeyRange;
import dev.quorate.storage.KeyValueStore;
import dev.quorate.storage.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Copies one source's entries to a member that has lost its disk or gains keys, page by page. A
 * page is requested while the one before it is written, unless that one is long. Ends after the
 * last page, or when the source has failed too often in a row.
 */
final class SourceStream implements Job<SourceStream.Exchange> {

    static final int PAGE_BYTES = 512 << 10;
    static final int TRIES = 4;
    static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private static final byte[] FIRST = {};

    /** The exchanges in progress; at most one of each. */
    enum Exchange {
        PAGE,
        ENTRIES
    }

    private final Replica source;
    private final Function<byte[], ReplicaRequest> pageFrom;
    private final KeyValueStore store;
    private final Backoff backoff = new Backoff(BETWEEN_TRIES, BETWEEN_TRIES);

    /** Where the next page begins; null after the last. */
    private byte @Nullable [] at = FIRST;

    /** The page that is being written, or waits to be written; null for none. */
    private ReplicaAnswer.@Nullable StreamedPage page;

    /** The page after it. */
    private ReplicaAnswer.@Nullable StreamedPage ahead;

    private int writing;
    private boolean isAsking;
    private boolean isWriting;
    private long written;
    private long receivedBytes;
    private @Nullable Failed givenUp;

    /**
     * @param pageFrom the request for the page that begins at a key
     * @param store this node's store
     */
    SourceStream(Replica source, Function<byte[], ReplicaRequest> pageFrom, KeyValueStore store) {
        this.source = source;
        this.pageFrom = pageFrom;
        this.store = store;
    }

    @Override
    public Step<Exchange> next() {
        while (true) {
            byte[] from = at;
            ReplicaAnswer.StreamedPage received = page;
            if (givenUp != null || (from == null && received == null)) {
                return new Step.End<>();
            }
            if (backoff.isDue()) {
                return new Step.Pause<>(backoff.take());
            }
            if (received != null && !isWriting) {
                try {
                    List<Entry> missing = missing(received.entries());
                    writing = missing.size();
                    isWriting = true;
                    return new Step.Write<>(Exchange.ENTRIES, missing);
                } catch (StorageException e) {
                    failed(new Failed(Failure.FAILED, "this node's store: " + e.getMessage()));
                    continue;
                }
            }
            if (from == null || isAsking || !mayAsk()) {
                return new Step.Await<>();
            }
            isAsking = true;
            return new Step.Ask<>(Exchange.PAGE, source, pageFrom.apply(from));
        }
    }

    /** Two long pages are not in memory together. */
    private boolean mayAsk() {
        return page == null || (ahead == null && bytes(page) <= PAGE_BYTES);
    }

    private static long bytes(ReplicaAnswer.StreamedPage page) {
        return page.entries().stream().mapToLong(Entry::dataBytes).sum();
    }

    /** The entries, in ascending order of keys, that are newer than this node's. */
    private List<Entry> missing(List<Entry> sent) {
        if (sent.isEmpty()) {
            return sent;
        }
        List<Entry> missing = new ArrayList<>();
        try (EntryCursor own =
                store.scan(sent.getFirst().key(), KeyRange.after(sent.getLast().key()))) {
            boolean more = own.next();
            for (Entry entry : sent) {
                while (more && Arrays.compareUnsigned(own.key(), entry.key()) < 0) {
                    more = own.next();
                }
                boolean isHere = more && Arrays.equals(own.key(), entry.key());
                if (!isHere || entry.supersedes(own.entry())) {
                    missing.add(entry);
                }
            }
        } catch (CorruptionException e) {
            return sent; // the store retains the newer entry
        }
        return missing;
    }

    @Override
    public void answered(Exchange exchange, ReplicaAnswer answer) {
        isAsking = false;
        switch (answer) {
            case ReplicaAnswer.StreamedPage received -> {
                if (page == null) {
                    page = received;
                } else {
                    ahead = received;
                }
                at = received.next();
                receivedBytes += bytes(received);
            }
            case ReplicaAnswer other -> failed(other.failure());
        }
    }

    @Override
    public void wrote(Exchange exchange, @Nullable Failed failure) {
        isWriting = false;
        if (failure != null) {
            failed(new Failed(failure.reason(), "this node: " + failure.detail()));
            return;
        }
        backoff.succeeded();
        written += writing;
        page = ahead;
        ahead = null;
    }

    private void failed(Failed failed) {
        backoff.failed();
        boolean isPermanent =
                failed.reason() == Failure.CORRUPT || failed.reason() == Failure.REFUSED;
        if (isPermanent || backoff.failuresInARow() >= TRIES) {
            givenUp = failed;
        }
    }

    Member source() {
        return source.member();
    }

    /** How many entries were received and written so far. */
    long written() {
        return written;
    }

    /** The bytes of the entries that were received so far. */
    long receivedBytes() {
        return receivedBytes;
    }

    /** Why it ended before its last page; null if it did not. */
    @Nullable Failed givenUp() {
        return givenUp;
    }
}
