package dev.quorate.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of {@link QuorateClient} without waiting. Each future completes by the deadline,
 * with a {@link QuorateException} if the operation fails. Thread-safe.
 */
public final class AsyncQuorateClient {

    /** Nodes wait up to 55 s; a node that vanishes silently is noticed after this. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(25);

    private final Call.Context context;
    private final Endpoints.RingLearner learner;
    private final Http.Versions versions;
    private final Duration deadline;

    AsyncQuorateClient(Call.Context context, Endpoints.RingLearner learner, Duration deadline) {
        this.context = context;
        this.learner = learner;
        this.versions = new Http.Versions(context.effects());
        this.deadline = deadline;
    }

    private Trace trace(String name, @Nullable Key key) {
        return Trace.begin(context.listener(), name, key, context.effects());
    }

    private <T> CompletableFuture<T> begin(Rule<T> rule, Call.Plan plan, Trace trace) {
        learner.onOperation();
        return Call.begin(context, rule, plan, trace);
    }

    private Call.Plan plan(@Nullable Key key, ReadOptions options) {
        Duration hedge = options.hedgeAfter();
        return new Call.Plan(
                key,
                from(options.replicas()),
                deadlineNanos(options.deadline()),
                hedge == null ? 0 : hedge.toNanos());
    }

    private Call.Plan plan(@Nullable Key key, WriteOptions options) {
        return new Call.Plan(key, from(options.replicas()), deadlineNanos(options.deadline()), 0);
    }

    private static int from(ReadOptions.@Nullable Replicas replicas) {
        return replicas == null ? 0 : replicas.from();
    }

    /** The time on the clock of the effects at which an operation that begins now must end. */
    long deadlineNanos(@Nullable Duration own) {
        return context.effects().nanos() + (own == null ? deadline : own).toNanos();
    }

    /** See {@link QuorateClient#get(String)}. */
    public CompletableFuture<Optional<Entry>> get(String key) {
        return get(Key.of(key), ReadOptions.DEFAULT);
    }

    /** See {@link QuorateClient#get(Key, ReadOptions)}. */
    public CompletableFuture<Optional<Entry>> get(Key key, ReadOptions options) {
        Trace trace = trace("get", key);
        Rule.ReadRule<Optional<Entry>> rule =
                new Rule.ReadRule<>(
                        Entities.get(key, options), answer -> Entities.read(key, answer));
        return trace.observe(begin(rule, plan(key, options), trace));
    }

    /** See {@link QuorateClient#await(Key, Version, Duration, ReadOptions)}. */
    public CompletableFuture<Awaited> await(
            Key key, @Nullable Version version, Duration timeout, ReadOptions options) {
        Trace trace = trace("await", key);
        return trace.observe(await(key, version, timeout, options, trace));
    }

    private CompletableFuture<Awaited> await(
            Key key,
            @Nullable Version version,
            Duration timeout,
            ReadOptions options,
            Trace trace) {
        Duration time = timeout.compareTo(LONGEST_WAIT) < 0 ? timeout : LONGEST_WAIT;
        Request request = Entities.get(key, options);
        Request tagged =
                version == null ? request : request.with("If-None-Match", "\"" + version + "\"");
        Rule.ReadRule.Parser<Awaited> parser =
                answer -> {
                    Optional<Entry> entry = Entities.read(key, answer);
                    boolean isSame = answer.status() == 304 || version == null;
                    return new Awaited(entry.isPresent() || !isSame, entry);
                };
        return await(tagged, key, time, options, parser, trace)
                .thenCompose(
                        found ->
                                found.isChanged() || time.equals(timeout)
                                        ? CompletableFuture.completedFuture(found)
                                        : await(key, version, timeout.minus(time), options, trace));
    }

    /** Waits with a token for a change of a range; false if none was noticed for some time. */
    CompletableFuture<Boolean> await(Range range, String token) {
        Request request = range.page("", 1).watching(token);
        Trace trace = trace("await", null);
        Rule.ReadRule.Parser<Boolean> parser = answer -> answer.status() != 304;
        return trace.observe(await(request, null, LONGEST_WAIT, range.options(), parser, trace));
    }

    private <T> CompletableFuture<T> await(
            Request request,
            @Nullable Key key,
            Duration time,
            ReadOptions options,
            Rule.ReadRule.Parser<T> parser,
            Trace trace) {
        Duration own = options.deadline();
        long untilNanos = deadlineNanos(time);
        Rule.ReadRule<T> rule =
                Rule.ReadRule.waiting(
                        request, () -> untilNanos - context.effects().nanos(), parser);
        ReadOptions longer = options.deadline(time.plus(own == null ? deadline : own));
        return begin(rule, plan(key, longer), trace);
    }

    /** See {@link QuorateClient#put(String, String)}. */
    public CompletableFuture<Version> put(String key, String value) {
        return put(Key.of(key), Json.bytes(value), WriteOptions.DEFAULT);
    }

    /** See {@link QuorateClient#put(Key, byte[], WriteOptions)}. */
    public CompletableFuture<Version> put(Key key, byte[] value, WriteOptions options) {
        return write("put", key, value, null, options).thenApply(AsyncQuorateClient::version);
    }

    /** See {@link QuorateClient#putIf(Key, byte[], Condition, WriteOptions)}. */
    public CompletableFuture<WriteResult> putIf(
            Key key, byte[] value, Condition condition, WriteOptions options) {
        return write("putIf", key, value, condition, options);
    }

    /** See {@link QuorateClient#delete(String)}. */
    public CompletableFuture<Version> delete(String key) {
        return delete(Key.of(key), WriteOptions.DEFAULT);
    }

    /** See {@link QuorateClient#delete(Key, WriteOptions)}. */
    public CompletableFuture<Version> delete(Key key, WriteOptions options) {
        requireNoTimeToLive(options);
        return write("delete", key, null, null, options).thenApply(AsyncQuorateClient::version);
    }

    /** See {@link QuorateClient#deleteIf(Key, Condition, WriteOptions)}. */
    public CompletableFuture<WriteResult> deleteIf(
            Key key, Condition condition, WriteOptions options) {
        requireNoTimeToLive(options);
        return write("deleteIf", key, null, condition, options);
    }

    /** See {@link QuorateClient#expire(Key, Condition, WriteOptions)}. */
    public CompletableFuture<WriteResult> expire(
            Key key, Condition condition, WriteOptions options) {
        Request write = Entities.write(key, null, condition, options);
        String none = options.timeToLive() == null ? "&ttl=none" : "";
        Request request = new Request("PATCH", write.target() + none, write.headers(), null);
        Trace trace = trace("expire", key);
        Rule.WriteRule rule = new Rule.WriteRule(request, true, null, false, false);
        return trace.observe(begin(rule, plan(key, options), trace));
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
            String name,
            Key key,
            byte @Nullable [] value,
            @Nullable Condition condition,
            WriteOptions options) {
        Trace trace = trace(name, key);
        return trace.observe(write(key, value, condition, options, trace));
    }

    private CompletableFuture<WriteResult> write(
            Key key,
            byte @Nullable [] value,
            @Nullable Condition condition,
            WriteOptions options,
            Trace trace) {
        Request request = Entities.write(key, value, condition, options);
        boolean isConditional = condition != null;
        Call.Plan plan = plan(key, options);
        if (options.version() != null) {
            return begin(
                    new Rule.WriteRule(request, isConditional, options.version(), false, true),
                    plan,
                    trace);
        }
        if (isConditional && options.timeToLive() == null) {
            Version chosen = versions.next(null);
            return begin(new Rule.WriteRule(request, true, chosen, true, false), plan, trace);
        }
        if (!isConditional && options.isRepeatable()) {
            Rule.ReadRule<Optional<Version>> newest =
                    new Rule.ReadRule<>(Entities.head(key, options), Entities::version);
            return begin(newest, plan, trace)
                    .exceptionallyCompose(failure -> withText(key, options, plan, failure, trace))
                    .thenCompose(
                            found -> {
                                Version above = versions.next(found.orElse(null));
                                return begin(
                                        new Rule.WriteRule(request, false, above, true, false),
                                        plan,
                                        trace);
                            });
        }
        return begin(new Rule.WriteRule(request, isConditional, null, false, false), plan, trace);
    }

    /** Repeats a refused HEAD as a GET, whose answer contains the reason. */
    private CompletableFuture<Optional<Version>> withText(
            Key key, WriteOptions options, Call.Plan plan, Throwable failure, Trace trace) {
        if (refusal(failure) == null) {
            return CompletableFuture.failedFuture(failure);
        }
        ReadOptions same =
                new ReadOptions(options.replicas(), options.isLinearizable(), null, null, false);
        return begin(new Rule.ReadRule<>(Entities.get(key, same), Entities::version), plan, trace);
    }

    /** See {@link QuorateClient#batch(List, WriteOptions)}. */
    public CompletableFuture<List<BatchResult>> batch(
            List<BatchOperation> operations, WriteOptions options) {
        if (operations.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Rule.BatchRule rule = new Rule.BatchRule(operations, options, versions);
        Trace trace = trace("batch", null);
        return trace.observe(begin(rule, plan(null, options), trace)).thenApply(trace::named);
    }

    /** See {@link QuorateClient#count}. */
    public CompletableFuture<Long> count(Range range) {
        Rule.ReadRule<Long> rule =
                new Rule.ReadRule<>(range::count, false, answer -> Range.parseCount(answer.body()));
        Trace trace = trace("count", null);
        return trace.observe(begin(rule, plan(null, range.options()), trace));
    }

    /**
     * Reads one page of a range.
     *
     * @param cursor the cursor of the previous page; null for the first page
     */
    public CompletableFuture<Page> page(Range range, @Nullable String cursor) {
        return page(range, cursor == null ? "" : cursor, range.pageEntries(), null);
    }

    /**
     * Reads a page, with half as many entries if it is too large.
     *
     * @param watch receives a token, drawn before the page is read; null to draw none
     */
    CompletableFuture<Page> page(
            Range range, String cursor, int limit, @Nullable Consumer<String> watch) {
        Trace trace = trace("page", null);
        return trace.observe(page(range, cursor, limit, watch, trace));
    }

    private CompletableFuture<Page> page(
            Range range, String cursor, int limit, @Nullable Consumer<String> watch, Trace trace) {
        Request request = range.page(cursor, limit);
        Rule.ReadRule<Page> rule =
                new Rule.ReadRule<>(
                        watch == null ? request : request.watching("new"),
                        answer -> {
                            if (watch != null) {
                                watch.accept(String.valueOf(answer.watch()));
                            }
                            return range.parse(answer.body(), limit);
                        });
        return begin(rule, plan(null, range.options()), trace)
                .exceptionallyCompose(
                        failure ->
                                limit > 1 && isTooLarge(failure)
                                        ? page(range, cursor, limit / 2, watch, trace)
                                        : CompletableFuture.failedFuture(failure));
    }

    private static @Nullable RefusedException refusal(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RefusedException refused ? refused : null;
    }

    /** Whether this client refused an answer because of its size. */
    private static boolean isTooLarge(Throwable failure) {
        RefusedException refused = refusal(failure);
        return refused != null && refused.status() == 0;
    }

    /** See {@link QuorateClient#learnRing}. */
    public CompletableFuture<Void> learnRing() {
        return learner.learn();
    }

    /** The requests for single entities, and the meaning of their answers. */
    static final class Entities {

        private Entities() {}

        static Request get(Key key, ReadOptions options) {
            return Request.get(
                    target(key, options.replicas(), options.isLinearizable())
                            + (options.isExplained() ? "&explain=1" : ""));
        }

        /** Reads the version without the value. */
        static Request head(Key key, WriteOptions options) {
            String target = target(key, options.replicas(), options.isLinearizable());
            return new Request("HEAD", target, List.of(), null);
        }

        /** A write without its version; a null value deletes. */
        static Request write(
                Key key,
                byte @Nullable [] value,
                @Nullable Condition condition,
                WriteOptions options) {
            String ttl =
                    options.timeToLive() == null ? "" : "&ttl=" + options.timeToLive().toSeconds();
            String target = target(key, options.replicas(), options.isLinearizable()) + ttl;
            Request request =
                    new Request(value == null ? "DELETE" : "PUT", target, List.of(), value);
            if (options.contentType() != null) {
                request = request.with("Content-Type", options.contentType());
            }
            return condition == null
                    ? request
                    : request.with(condition.header(), condition.headerValue());
        }

        private static String target(
                Key key, ReadOptions.@Nullable Replicas replicas, boolean isLinearizable) {
            return "/v0/entity?id="
                    + Json.encoded(key.shared())
                    + (replicas == null ? "" : "&replicas=" + replicas)
                    + (isLinearizable ? "&consistency=linearizable" : "");
        }

        static Optional<Entry> read(Key key, Request.Attempt.Answered answer)
                throws Json.BadAnswerException {
            if (answer.status() == 204) {
                throw new Json.BadAnswerException("no value and no reason");
            }
            if (answer.status() != 200) {
                return Optional.empty();
            }
            return Optional.of(
                    new Entry(
                            key,
                            answer.body(),
                            required(answer),
                            answer.contentType(),
                            answer.expires(),
                            answer.explanation()));
        }

        private static Version required(Request.Attempt.Answered answer)
                throws Json.BadAnswerException {
            Version version = answer.version();
            if (version == null) {
                throw new Json.BadAnswerException("a value without a version");
            }
            return version;
        }

        /** The version of the value or of the deletion; empty if the key has neither. */
        static Optional<Version> version(Request.Attempt.Answered answer)
                throws Json.BadAnswerException {
            return answer.status() == 200
                    ? Optional.of(required(answer))
                    : Optional.ofNullable(answer.version());
        }
    }
}
