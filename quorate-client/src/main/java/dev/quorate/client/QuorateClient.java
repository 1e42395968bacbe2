package dev.quorate.client;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A client of a cluster. Thread-safe; a program needs only one.
 *
 * <pre>{@code
 * try (QuorateClient client = QuorateClient.connect("http://10.0.0.1:8080", "http://10.0.0.2:8080")) {
 *     client.put("greeting", "hello");
 *     String text = client.get("greeting").orElseThrow().text();
 * }
 * }</pre>
 *
 * <p>Each operation ends by its deadline (5 seconds by default). If a node fails, it asks another
 * node: reads always, and writes only if this can neither overwrite a later write nor apply a
 * condition twice. An operation fails with {@link UnavailableException} (nothing was written),
 * {@link RefusedException} (nothing was written, and another attempt would also fail) or {@link
 * OutcomeUnknownException} (a write may be stored).
 *
 * <p>A write that was sent again has the version of its first attempt. So a write that was
 * acknowledged shortly before, by a node whose clock was ahead, may remain the newer one. This
 * cannot happen with {@link WriteOptions#linearizable}, {@link WriteOptions#repeatable} or a
 * condition.
 *
 * <p>Blocking operations throw {@link CancellationException} if their thread is interrupted, and do
 * not clear its interrupt status. A write may then have taken effect.
 */
public final class QuorateClient implements AutoCloseable {

    /** Maximum number of entries of the first page of a stream. */
    private static final int FIRST = 256;

    private static final int MOST = 100_000;

    /** The content type in answers with a value that has none. */
    private static final String BYTES = "application/octet-stream";

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 200_000_000;

    /** Approximate bytes of an entry in a page without key and value. */
    private static final int ENTRY_BYTES = 64;

    private final AsyncQuorateClient async;
    private final Http.Effects effects;
    private final Http http;
    private final long maxAnswerBytes;

    private QuorateClient(
            AsyncQuorateClient async, Http.Effects effects, Http http, long maxAnswerBytes) {
        this.async = async;
        this.effects = effects;
        this.http = http;
        this.maxAnswerBytes = maxAnswerBytes;
    }

    /**
     * A client with the default settings.
     *
     * @param nodes URLs such as {@code http://10.0.0.1:8080}; more nodes mask more failures
     */
    public static QuorateClient connect(String... nodes) {
        return builder().nodes(List.of(nodes).stream().map(URI::create).toList()).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The settings of a client. */
    public static final class Builder {

        private static final long MIN_ANSWER_BYTES = 1L << 20;

        private List<URI> nodes = List.of();
        private Duration deadline = Duration.ofSeconds(5);
        private Duration attemptTimeout = Duration.ofSeconds(2);
        private Duration connectTimeout = Duration.ofSeconds(1);
        private long maxAnswerBytes = 64L << 20;
        private int maxRounds = Integer.MAX_VALUE;
        private @Nullable String token;
        private @Nullable SSLContext tls;
        private OperationListener listener = (name, key) -> new OperationListener.Observer() {};

        private Builder() {}

        /**
         * The nodes. While one of them fails, the client also uses addresses to which members of
         * the cluster have moved meanwhile.
         *
         * @throws IllegalArgumentException unless each is {@code http://host:port} or {@code
         *     https://host:port}
         */
        public Builder nodes(List<URI> uris) {
            for (URI uri : uris) {
                String path = uri.getRawPath();
                if (!("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                        || uri.getHost() == null
                        || uri.getRawUserInfo() != null
                        || uri.getRawQuery() != null
                        || (path != null && !path.isEmpty() && !path.equals("/"))) {
                    throw new IllegalArgumentException(
                            "A node is http://host:port or https://host:port, not '" + uri + "'.");
                }
            }
            nodes = List.copyOf(uris);
            return this;
        }

        /** The deadline of operations without their own. The default is 5 seconds. */
        public Builder deadline(Duration time) {
            ReadOptions.requirePositive("deadline", time);
            deadline = time;
            return this;
        }

        /**
         * The timeout of a request that can be sent to another node. A value below the nodes'
         * {@code request-timeout} makes a slow cluster slower. The default is 2 seconds.
         */
        public Builder attemptTimeout(Duration time) {
            ReadOptions.requirePositive("attemptTimeout", time);
            attemptTimeout = time;
            return this;
        }

        /** The timeout for opening a connection. The default is 1 second. */
        public Builder connectTimeout(Duration time) {
            ReadOptions.requirePositive("connectTimeout", time);
            connectTimeout = time;
            return this;
        }

        /**
         * The maximum number of times that an operation asks each node, with growing pauses. After
         * that it fails before its deadline, which suits interactive commands. The default is no
         * limit.
         */
        public Builder maxRounds(int rounds) {
            if (rounds < 1) {
                throw new IllegalArgumentException("There is at least one round.");
            }
            maxRounds = rounds;
            return this;
        }

        /**
         * The maximum length of an answer, 1 MiB to 1 GiB. It limits values, pages and batches. The
         * default is 64 MiB; values of nodes have up to 16 MiB.
         */
        public Builder maxAnswerBytes(long bytes) {
            if (bytes < MIN_ANSWER_BYTES || bytes > 1L << 30) {
                throw new IllegalArgumentException("It is 1 MiB to 1 GiB, not " + bytes + ".");
            }
            maxAnswerBytes = bytes;
            return this;
        }

        /**
         * The access token that is sent with each request, for nodes with a {@code token-file}. The
         * default is none.
         *
         * @throws IllegalArgumentException unless it is one word of ASCII
         */
        public Builder token(String text) {
            if (!text.matches("[!-~]{1,512}")) {
                throw new IllegalArgumentException("A token is one word of ASCII.");
            }
            token = text;
            return this;
        }

        /** The trusted certificates for nodes with TLS. The default is those that Java trusts. */
        public Builder tls(SSLContext context) {
            tls = context;
            return this;
        }

        /** Is called for each operation. The default is none. */
        public Builder listener(OperationListener operations) {
            listener = operations;
            return this;
        }

        /**
         * Creates the client, which sends nothing yet.
         *
         * @throws IllegalStateException without any node
         */
        public QuorateClient build() {
            if (nodes.isEmpty()) {
                throw new IllegalStateException("A client needs a node.");
            }
            Http.Effects effects = new Http.Effects();
            Http http = new Http(effects, connectTimeout, maxAnswerBytes, token, tls);
            Endpoints endpoints = new Endpoints(nodes);
            Call.Context context =
                    new Call.Context(
                            http,
                            endpoints,
                            effects,
                            listener,
                            attemptTimeout.toNanos(),
                            maxRounds);
            Endpoints.RingLearner learner = new Endpoints.RingLearner(http, endpoints, effects);
            AsyncQuorateClient async = new AsyncQuorateClient(context, learner, deadline);
            return new QuorateClient(async, effects, http, maxAnswerBytes);
        }
    }

    /** The same operations without waiting. */
    public AsyncQuorateClient async() {
        return async;
    }

    /** The value of a key, with the default options; empty if it has none. */
    public Optional<Entry> get(String key) {
        return get(Key.of(key), ReadOptions.DEFAULT);
    }

    /** The same as the other, with the key of a text. */
    public Optional<Entry> get(String key, ReadOptions options) {
        return get(Key.of(key), options);
    }

    /**
     * The value of a key; empty if it was never written, was deleted, or has expired.
     *
     * @throws QuorateException if no node could read it
     */
    public Optional<Entry> get(Key key, ReadOptions options) {
        return await(async.get(key, options));
    }

    /** The same as the other, with the default options. */
    public Awaited await(String key, @Nullable Version version, Duration timeout) {
        return await(Key.of(key), version, timeout, ReadOptions.DEFAULT);
    }

    /**
     * Waits until a key has another version than the given one, or none. Costs nodes nothing while
     * nothing changes, and returns soon after the change was acknowledged. Several changes may be
     * one.
     *
     * @param version null to wait until the key has a value
     * @param timeout any time to wait; the deadline of the options follows it
     * @throws QuorateException if no node could wait
     */
    public Awaited await(
            Key key, @Nullable Version version, Duration timeout, ReadOptions options) {
        return await(async.await(key, version, timeout, options));
    }

    /** Writes text in UTF-8 with the default options. */
    public Version put(String key, String value) {
        return put(Key.of(key), Json.bytes(value), WriteOptions.DEFAULT);
    }

    /** Writes text in UTF-8. */
    public Version put(String key, String value, WriteOptions options) {
        return put(Key.of(key), Json.bytes(value), options);
    }

    /**
     * Writes a value of 0 bytes to 16 MiB. It is on the disks of {@code ack} replicas when this
     * returns.
     *
     * @return the version of the value
     * @throws QuorateException if the write is not acknowledged; the type tells its outcome
     */
    public Version put(Key key, byte[] value, WriteOptions options) {
        return await(async.put(key, value, options));
    }

    /** Writes text in UTF-8 if a condition holds, with the default options. */
    public WriteResult putIf(String key, String value, Condition condition) {
        return putIf(Key.of(key), Json.bytes(value), condition, WriteOptions.DEFAULT);
    }

    /**
     * Writes a value of up to 1 MiB if a condition holds. {@code ack} must be a majority.
     *
     * @throws QuorateException if the outcome is unknown, or no node could decide
     */
    public WriteResult putIf(Key key, byte[] value, Condition condition, WriteOptions options) {
        return await(async.putIf(key, value, condition, options));
    }

    /**
     * Replaces a text by a function of it, see {@link #update(Key, Function, WriteOptions)}. Adding
     * 1 to a counter:
     *
     * <pre>{@code
     * client.update("hits", old -> String.valueOf(old.map(Long::parseLong).orElse(0L) + 1));
     * }</pre>
     *
     * @return the text of the key afterwards
     */
    public String update(String key, Function<Optional<String>, String> change) {
        Function<Optional<Entry>, Optional<byte[]>> ofBytes =
                found -> Optional.of(Json.bytes(change.apply(found.map(Entry::text))));
        return update(Key.of(key), ofBytes, WriteOptions.DEFAULT).orElseThrow().text();
    }

    /**
     * Replaces a value of up to 1 MiB by a function of it, atomically: no other write of the key
     * comes between the value that the function was given and its result. The client reads the
     * value, and writes the result on the condition that the value is unchanged. If another write
     * was first, it begins again after a random pause, until the deadline. All writers of the key
     * must use conditional writes.
     *
     * <p>The function is called on the caller's thread, possibly several times. If its result is
     * empty, the key is deleted. If the result is the same value, nothing is written, and it keeps
     * its expiry. The content type remains if the options have none.
     *
     * @param options with a time to live, a lost answer is an unknown outcome; without one the new
     *     value does not expire
     * @return the entry of the key afterwards; without its expiry if it was written
     * @throws UnavailableException if other writers were first each time, or no node could decide.
     *     Nothing was written
     * @throws OutcomeUnknownException if the last write may or may not have taken effect
     */
    public Optional<Entry> update(
            Key key, Function<Optional<Entry>, Optional<byte[]>> change, WriteOptions options) {
        if (options.version() != null) {
            throw new IllegalArgumentException("An update chooses the versions of its writes.");
        }
        long untilNanos = async.deadlineNanos(options.deadline());
        ReadOptions reads =
                new ReadOptions(options.replicas(), options.isLinearizable(), null, null, false);
        Optional<Entry> found = get(key, reads.deadline(left(untilNanos)));
        for (int attempts = 1; ; attempts++) {
            Optional<byte[]> next = change.apply(found);
            if (isUnchanged(found, next)) {
                return found;
            }
            WriteOptions own = ofUpdate(found, next, options.deadline(left(untilNanos)));
            Condition condition =
                    found.map(Entry::version)
                            .map(Condition::ifMatch)
                            .orElseGet(Condition::ifAbsent);
            WriteResult result =
                    next.isPresent()
                            ? putIf(key, next.get(), condition, own)
                            : deleteIf(key, condition, own);
            if (result instanceof WriteResult.Written written) {
                String type = own.contentType();
                return next.map(value -> new Entry(key, value, written.version(), type, null));
            }
            pause(attempts);
            if (untilNanos - effects.nanos() <= 0) {
                throw new UnavailableException(
                        "Other writes of the key came first, " + attempts + " times.");
            }
            found = get(key, reads.deadline(left(untilNanos)));
        }
    }

    private static boolean isUnchanged(Optional<Entry> found, Optional<byte[]> next) {
        if (found.isEmpty() || next.isEmpty()) {
            return found.isEmpty() && next.isEmpty();
        }
        return Arrays.equals(found.get().value(), next.get());
    }

    private static WriteOptions ofUpdate(
            Optional<Entry> found, Optional<byte[]> next, WriteOptions options) {
        String type = options.contentType();
        if (type == null) {
            type = found.map(Entry::contentType).filter(each -> !each.equals(BYTES)).orElse(null);
        }
        return new WriteOptions(
                options.replicas(),
                options.isLinearizable(),
                options.deadline(),
                next.isPresent() ? options.timeToLive() : null,
                null,
                false,
                next.isPresent() ? type : null);
    }

    private Duration left(long untilNanos) {
        return Duration.ofNanos(Math.max(1, untilNanos - effects.nanos()));
    }

    private void pause(int attempts) {
        long mostNanos = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(attempts, 10));
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        long nanos = Long.remainderUnsigned(effects.random(), mostNanos);
        var unused = over.completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        await(over);
    }

    /** Deletes, with the default options. */
    public Version delete(String key) {
        return delete(Key.of(key), WriteOptions.DEFAULT);
    }

    /**
     * Deletes a key, whether it has a value or not.
     *
     * @return the version of the deletion
     * @throws QuorateException if the deletion is not acknowledged; the type tells its outcome
     */
    public Version delete(Key key, WriteOptions options) {
        return await(async.delete(key, options));
    }

    /**
     * Deletes a key if a condition holds. {@code ack} must be a majority.
     *
     * @throws QuorateException if the outcome is unknown, or no node could decide
     */
    public WriteResult deleteIf(Key key, Condition condition, WriteOptions options) {
        return await(async.deleteIf(key, condition, options));
    }

    /**
     * Changes when a value of up to 1 MiB expires, and nothing else of it. {@code ack} must be a
     * majority.
     *
     * @param condition {@link Condition#ifPresent} or {@link Condition#ifMatch}
     * @param options with the time to live from now on; without one, the value no longer expires
     * @return {@link WriteResult.Unmet} without a version if the key has no value
     * @throws QuorateException if the outcome is unknown, or no node could decide
     */
    public WriteResult expire(Key key, Condition condition, WriteOptions options) {
        return await(async.expire(key, condition, options));
    }

    /**
     * Executes up to 512 operations in one request of up to 2 MiB. Operations of one key are
     * executed in order, others in parallel. A batch is not atomic: each operation may fail
     * separately.
     *
     * @param options the replicas, consistency and deadline of all operations
     * @return the outcomes in the order of the operations
     * @throws IllegalArgumentException if other options are given
     */
    public List<BatchResult> batch(List<BatchOperation> operations, WriteOptions options) {
        return await(async.batch(operations, options));
    }

    /**
     * Counts the keys of a range, in one request. The deadline of the range's options must suffice
     * for all of them.
     *
     * @throws QuorateException if no node could count all of them
     */
    public long count(Range range) {
        return await(async.count(range));
    }

    /**
     * Reads one page of a range, and the cursor of the next.
     *
     * @throws QuorateException if no node could read it
     */
    public Page page(Range range) {
        return await(async.page(range, null));
    }

    /**
     * Reads the page after another one.
     *
     * @param cursor the cursor of that page
     * @throws QuorateException if no node could read it
     */
    public Page page(Range range, String cursor) {
        return await(async.page(range, cursor));
    }

    /**
     * All entries of a range, read page by page while the stream is consumed. One thread at a time
     * may use the stream, which throws {@link QuorateException} if a page cannot be read. It need
     * not be closed. If values are long, pages have fewer entries than the range specifies.
     */
    public Stream<Entry> entries(Range range) {
        return Stream.iterate(
                        Optional.of(page(range.pageEntries(Math.min(range.pageEntries(), FIRST)))),
                        Optional::isPresent,
                        page ->
                                page.filter(each -> each.cursor() != null)
                                        .map(each -> pageAfter(range, each)))
                .flatMap(Optional::stream)
                .flatMap(page -> page.entries().stream());
    }

    /** Reads the next page, of about a quarter of the maximum answer if entries keep their size. */
    private Page pageAfter(Range range, Page before) {
        long bytes = 1;
        for (Entry entry : before.entries()) {
            bytes += entry.key().shared().length + entry.value().length + ENTRY_BYTES;
        }
        long entries = before.entries().size() * (maxAnswerBytes / 4) / bytes;
        int most = before.entries().isEmpty() ? FIRST : (int) Math.max(1, Math.min(entries, MOST));
        Range next = range.pageEntries(Math.min(range.pageEntries(), most));
        return page(next, String.valueOf(before.cursor()));
    }

    /**
     * Reports the keys of a range with their versions, and then each change, on a thread of its
     * own. Lists the range at most once a second, and otherwise waits for a change, which costs
     * nodes nothing. So several changes of a key may be one.
     *
     * @param range all keys, or those with a prefix of up to 128 bytes. Its keys and versions are
     *     kept in memory
     */
    public Watch watch(Range range, Watch.Listener listener) {
        return Watch.begin(this, range.keysOnly(), listener);
    }

    /**
     * Asks each node for the ring and waits for the answers, so that operations ask owners first.
     * Operations also do this in the background.
     */
    public void learnRing() {
        await(async.learnRing());
    }

    Http.Effects effects() {
        return effects;
    }

    Page firstPage(Range range, Consumer<String> watch) {
        return await(async.page(range, "", range.pageEntries(), watch));
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof QuorateException failure) {
                throw failure.again();
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Lets further operations fail. Operations in progress continue until their deadline. */
    @Override
    public void close() {
        effects.end();
        http.end();
    }
}
