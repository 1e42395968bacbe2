package dev.quorate.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The operations of {@link QuorateClient}, without waiting. Each future completes at the deadline
 * at the latest, with a {@link QuorateException} if the operation fails. Thread-safe.
 */
public final class AsyncQuorateClient {

    private final Core core;

    AsyncQuorateClient(Core core) {
        this.core = core;
    }

    /** See {@link QuorateClient#get(Key, ReadOptions)}. */
    public CompletableFuture<Optional<Entry>> get(Key key, ReadOptions options) {
        return core.begin(
                new ReadRule<>(Entities.get(key, options), answer -> Entities.read(key, answer)),
                core.plan(key, options));
    }

    /** See {@link QuorateClient#put(Key, byte[], WriteOptions)}. */
    public CompletableFuture<Version> put(Key key, byte[] value, WriteOptions options) {
        return write(key, value, null, options).thenApply(AsyncQuorateClient::version);
    }

    /** See {@link QuorateClient#putIf(Key, byte[], Condition, WriteOptions)}. */
    public CompletableFuture<WriteResult> putIf(
            Key key, byte[] value, Condition condition, WriteOptions options) {
        return write(key, value, condition, options);
    }

    /** See {@link QuorateClient#delete(Key, WriteOptions)}. */
    public CompletableFuture<Version> delete(Key key, WriteOptions options) {
        requireNoTimeToLive(options);
        return write(key, null, null, options).thenApply(AsyncQuorateClient::version);
    }

    /** See {@link QuorateClient#deleteIf(Key, Condition, WriteOptions)}. */
    public CompletableFuture<WriteResult> deleteIf(
            Key key, Condition condition, WriteOptions options) {
        requireNoTimeToLive(options);
        return write(key, null, condition, options);
    }

    private static void requireNoTimeToLive(WriteOptions options) {
        if (options.timeToLive() != null) {
            throw new IllegalArgumentException("A deletion has no time to live.");
        }
    }

    private static Version version(WriteResult result) {
        if (result instanceof WriteResult.Written written) {
            return written.version();
        }
        throw new IllegalStateException("a write without a condition has failed one");
    }

    private CompletableFuture<WriteResult> write(
            Key key, byte @Nullable [] value, @Nullable Condition condition, WriteOptions options) {
        Request request = Entities.write(key, value, condition, options);
        boolean isConditional = condition != null;
        Call.Plan plan = core.plan(key, options);
        if (options.version() != null) {
            return core.begin(
                    new WriteRule(request, isConditional, options.version(), false, true), plan);
        }
        if (isConditional && options.timeToLive() == null) {
            Version chosen = core.versions().next(null);
            return core.begin(new WriteRule(request, true, chosen, true, false), plan);
        }
        if (!isConditional && options.isRepeatable()) {
            ReadRule<Optional<Version>> newest =
                    new ReadRule<>(Entities.head(key, options), Entities::version);
            return core.begin(newest, plan)
                    .exceptionallyCompose(failure -> withText(key, options, plan, failure))
                    .thenCompose(
                            found -> {
                                Version above = core.versions().next(found.orElse(null));
                                return core.begin(
                                        new WriteRule(request, false, above, true, false), plan);
                            });
        }
        return core.begin(new WriteRule(request, isConditional, null, false, false), plan);
    }

    /** The answer to a HEAD has no text: what it is refused for, a GET says. */
    private CompletableFuture<Optional<Version>> withText(
            Key key, WriteOptions options, Call.Plan plan, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof RefusedException)) {
            return CompletableFuture.failedFuture(failure);
        }
        ReadOptions same =
                new ReadOptions(options.replicas(), options.isLinearizable(), null, null);
        return core.begin(new ReadRule<>(Entities.get(key, same), Entities::version), plan);
    }

    /** See {@link QuorateClient#batch(List, WriteOptions)}. */
    public CompletableFuture<List<BatchResult>> batch(
            List<BatchOperation> operations, WriteOptions options) {
        if (operations.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        BatchRule rule = new BatchRule(operations, options, core.versions());
        return core.begin(rule, core.plan(null, options));
    }

    /**
     * Reads one page of a range.
     *
     * @param cursor of the page before; null for the first page
     */
    public CompletableFuture<Page> page(Range range, @Nullable String cursor) {
        return page(range, cursor == null ? "" : cursor, range.pageEntries());
    }

    /** With fewer entries if so many are too large. */
    private CompletableFuture<Page> page(Range range, String cursor, int limit) {
        ReadRule<Page> rule =
                new ReadRule<>(
                        range.page(cursor, limit), answer -> range.parse(answer.body(), limit));
        return core.begin(rule, core.plan(null, range.options()))
                .exceptionallyCompose(
                        failure ->
                                limit > 1 && Core.isTooLarge(failure)
                                        ? page(range, cursor, limit / 2)
                                        : CompletableFuture.failedFuture(failure));
    }

    /**
     * Asks each node for the ring, so that owners are asked first from now on. Operations do so by
     * themselves, without waiting for it.
     */
    public CompletableFuture<Void> learnRing() {
        return core.learnRing();
    }
}
