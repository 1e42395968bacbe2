package dev.quorate.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A client of a cluster, over any of its nodes. Thread-safe; one for a program is enough.
 *
 * <pre>{@code
 * try (QuorateClient client = QuorateClient.connect("http://10.0.0.1:8080", "http://10.0.0.2:8080")) {
 *     client.put("greeting", "hello");
 *     String text = client.get("greeting").orElseThrow().text();
 * }
 * }</pre>
 *
 * <p>Each operation ends at its deadline at the latest (5 seconds, unless another one is given),
 * and asks another node where one fails: reads always, and writes only where that can neither
 * overwrite a later write nor apply a condition twice. It fails with {@link UnavailableException}
 * (nothing was written), {@link RefusedException} (nothing was written, and another attempt is
 * pointless) or {@link OutcomeUnknownException} (a write may be stored).
 *
 * <p>A write that was sent again counts from its first attempt: writes that were acknowledged
 * shortly before it began, by a node whose clock was ahead, may stay the newer ones. That cannot
 * happen with {@link WriteOptions#linearizable}, {@link WriteOptions#repeatable} or a condition.
 *
 * <p>Operations that wait throw {@link CancellationException} if their thread is interrupted, which
 * stays interrupted; a write may then have been made.
 */
public final class QuorateClient implements AutoCloseable {

    /** Entries of the first page of a stream at most. */
    private static final int FIRST = 256;

    private static final int MOST = 100_000;

    /** Approximate bytes of an entry in a page besides key and value. */
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
     * @param nodes such as {@code http://10.0.0.1:8080}; the more, the fewer failures are noticed
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

        private Builder() {}

        /**
         * The nodes, of which no others are ever asked.
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

        /** The timeout of operations that give none. The default is 5 seconds. */
        public Builder deadline(Duration time) {
            ReadOptions.requirePositive("deadline", time);
            deadline = time;
            return this;
        }

        /**
         * How long a node may take for a request that can be sent to another one. Less than the
         * nodes' {@code request-timeout} makes a slow cluster slower. The default is 2 seconds.
         */
        public Builder attemptTimeout(Duration time) {
            ReadOptions.requirePositive("attemptTimeout", time);
            attemptTimeout = time;
            return this;
        }

        /** How long a connection may take. The default is 1 second. */
        public Builder connectTimeout(Duration time) {
            ReadOptions.requirePositive("connectTimeout", time);
            connectTimeout = time;
            return this;
        }

        /**
         * How often an operation asks each node at most, with growing pauses. After that it fails
         * before its deadline, which suits a command that somebody waits for. The default is no
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
         * The longest answer that is read, 1 MiB to 1 GiB. It bounds values, pages and batches. The
         * default is 64 MiB; nodes have values of up to 16 MiB.
         */
        public Builder maxAnswerBytes(long bytes) {
            if (bytes < MIN_ANSWER_BYTES || bytes > 1L << 30) {
                throw new IllegalArgumentException("It is 1 MiB to 1 GiB, not " + bytes + ".");
            }
            maxAnswerBytes = bytes;
            return this;
        }

        /**
         * The access token that is sent with each request, for nodes that have a {@code
         * token-file}. There is none by default.
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

        /**
         * Whose certificates are trusted, for nodes with TLS ({@code https://}). Those that Java
         * trusts by default.
         */
        public Builder tls(SSLContext context) {
            tls = context;
            return this;
        }

        /**
         * Sends nothing yet.
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
                    new Call.Context(http, endpoints, effects, attemptTimeout.toNanos(), maxRounds);
            Endpoints.RingLearner learner = new Endpoints.RingLearner(http, endpoints, effects);
            return new QuorateClient(
                    new AsyncQuorateClient(context, learner, deadline),
                    effects,
                    http,
                    maxAnswerBytes);
        }
    }

    /** The same operations, without waiting. */
    public AsyncQuorateClient async() {
        return async;
    }

    /** The value of a key, with the default options; empty if it has none. */
    public Optional<Entry> get(String key) {
        return get(Key.of(key), ReadOptions.DEFAULT);
    }

    /**
     * The value of a key; empty if it has none: never written, deleted or expired.
     *
     * @throws QuorateException if no node could tell
     */
    public Optional<Entry> get(Key key, ReadOptions options) {
        return await(async.get(key, options));
    }

    /** Writes a text in UTF-8, with the default options. */
    public Version put(String key, String value) {
        return put(Key.of(key), Json.Text.bytes(value), WriteOptions.DEFAULT);
    }

    /**
     * Writes a value of 0 bytes to 16 MiB, whatever the key has. It is on the disks of {@code ack}
     * replicas when this returns.
     *
     * @return its version
     * @throws QuorateException if it is not acknowledged; the kind says what became of it
     */
    public Version put(Key key, byte[] value, WriteOptions options) {
        return await(async.put(key, value, options));
    }

    /**
     * Writes a value of up to 1 MiB if a condition holds, with {@code ack} a majority.
     *
     * @throws QuorateException if the outcome is unknown, or nothing was decided
     */
    public WriteResult putIf(Key key, byte[] value, Condition condition, WriteOptions options) {
        return await(async.putIf(key, value, condition, options));
    }

    /** Deletes, with the default options. */
    public Version delete(String key) {
        return delete(Key.of(key), WriteOptions.DEFAULT);
    }

    /**
     * Deletes a key, whether it has a value or not.
     *
     * @return the version of the deletion
     * @throws QuorateException if it is not acknowledged; the kind says what became of it
     */
    public Version delete(Key key, WriteOptions options) {
        return await(async.delete(key, options));
    }

    /**
     * Deletes a key if a condition holds, with {@code ack} a majority.
     *
     * @throws QuorateException if the outcome is unknown, or nothing was decided
     */
    public WriteResult deleteIf(Key key, Condition condition, WriteOptions options) {
        return await(async.deleteIf(key, condition, options));
    }

    /**
     * Makes up to 512 operations in one request of up to 2 MiB. Those of one key are made in their
     * order, all others at once; a batch is not atomic, and each operation fails by itself.
     *
     * @param options replicas, consistency and deadline of all
     * @return an outcome for each operation, in their order
     * @throws IllegalArgumentException if other options are given
     */
    public List<BatchResult> batch(List<BatchOperation> operations, WriteOptions options) {
        return await(async.batch(operations, options));
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
     * Reads the page behind another one.
     *
     * @param cursor of that page
     * @throws QuorateException if no node could read it
     */
    public Page page(Range range, String cursor) {
        return await(async.page(range, cursor));
    }

    /**
     * All entries of a range, read page by page as the stream is consumed, by one thread at a time.
     * It throws {@link QuorateException} where a page cannot be read. It has nothing to close.
     * Where values are long, pages have fewer entries than the range says.
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

    /**
     * With as many entries as fill a quarter of the longest answer, if they are as long as before.
     */
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
     * Asks each node for the ring, and waits for it, so that owners are asked first from the next
     * operation on. Operations do so by themselves, without waiting.
     */
    public void learnRing() {
        await(async.learnRing());
    }

    private static <T> T await(CompletableFuture<T> future) {
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

    /** Further operations fail; those in progress continue until their deadline. */
    @Override
    public void close() {
        effects.end();
        http.end();
    }
}
