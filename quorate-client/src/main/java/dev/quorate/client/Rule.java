package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides what follows an attempt, without I/O, clocks or locks. One thread calls it at a time. */
interface Rule<T> {

    sealed interface Step<T> {

        record Done<T>(T result) implements Step<T> {}

        record Failed<T>(QuorateException why) implements Step<T> {}

        /** The request is sent again, to another node or later. */
        record Again<T>() implements Step<T> {}
    }

    Request request();

    /** Whether an attempt may time out before the deadline, because another can follow it. */
    boolean isRepeatable();

    /** How much longer than others an attempt may take, because the node waits for a change. */
    default long waitNanos() {
        return 0;
    }

    /**
     * The step after an attempt.
     *
     * @param node the URL of the node, for messages
     */
    Step<T> after(String node, Request.Attempt attempt);

    /** The last step, done or failed, when the time is over. */
    Step<T> onDelay();

    /** The last problem of each node, for the message of a failure. */
    static final class Problems {

        private final Map<String, String> byNode = new LinkedHashMap<>();
        private int attempts;

        void add(String node, Object problem) {
            attempts++;
            byNode.remove(node);
            byNode.put(node, problem.toString());
        }

        /** A sentence, followed by a line for each node. */
        String after(String sentence) {
            StringBuilder message = new StringBuilder(sentence);
            message.append(attempts == 1 ? " 1 attempt." : " " + attempts + " attempts.");
            byNode.forEach(
                    (node, problem) ->
                            message.append('\n').append(node).append(' ').append(problem));
            return message.toString();
        }
    }

    /** A read. It is retried at any node, except if it is refused or the answer is too large. */
    static final class ReadRule<T> implements Rule<T> {

        /** Parses an answer with the status 200, 304 or 404, or 204 of one that waits. */
        @FunctionalInterface
        interface Parser<T> {
            T parse(Request.Attempt.Answered answer) throws Json.BadAnswerException;
        }

        private final Supplier<Request> request;
        private final boolean isQuick;
        private final @Nullable LongSupplier waitNanos;
        private final Parser<T> parser;
        private final Rule.Problems problems = new Rule.Problems();

        ReadRule(Request request, Parser<T> parser) {
            this(() -> request, true, parser);
        }

        /**
         * @param isQuick whether an answer takes no longer than other attempts may
         */
        ReadRule(Supplier<Request> request, boolean isQuick, Parser<T> parser) {
            this(request, isQuick, null, parser);
        }

        private ReadRule(
                Supplier<Request> request,
                boolean isQuick,
                @Nullable LongSupplier waitNanos,
                Parser<T> parser) {
            this.request = request;
            this.isQuick = isQuick;
            this.waitNanos = waitNanos;
            this.parser = parser;
        }

        /** A read that waits for a change, at another node if one vanishes. */
        static <T> ReadRule<T> waiting(Request request, LongSupplier waitNanos, Parser<T> parser) {
            return new ReadRule<>(
                    () -> request.waiting(waitNanos.getAsLong() / 1_000_000),
                    false,
                    waitNanos,
                    parser);
        }

        @Override
        public Request request() {
            return request.get();
        }

        @Override
        public boolean isRepeatable() {
            return isQuick || waitNanos != null;
        }

        @Override
        public long waitNanos() {
            return waitNanos == null ? 0 : Math.max(0, waitNanos.getAsLong());
        }

        @Override
        public Step<T> after(String node, Request.Attempt attempt) {
            Object problem = attempt;
            if (attempt instanceof Request.Attempt.TooLarge) {
                return new Step.Failed<>(new RefusedException(0, node + " " + attempt));
            }
            if (attempt instanceof Request.Attempt.Answered answered) {
                int status = answered.status();
                boolean isAbsence = status == 404 && answered.isProblem();
                boolean isOver = status == 304 || (status == 204 && !isQuick);
                if (status == 200 || isOver || isAbsence) {
                    try {
                        return new Step.Done<>(parser.parse(answered));
                    } catch (Json.BadAnswerException e) {
                        problem = "sent an answer that cannot be read: " + e.getMessage();
                    }
                } else if (answered.isRefusal()) {
                    return new Step.Failed<>(
                            new RefusedException(
                                    answered.status(), node + " answered " + answered));
                } else {
                    problem = "answered " + answered;
                }
            }
            problems.add(node, problem);
            return new Step.Again<>();
        }

        @Override
        public Step<T> onDelay() {
            return new Step.Failed<>(
                    new UnavailableException(problems.after("No node could read it.")));
        }
    }

    /**
     * A write. It is sent again only as the same write: under its version, so that replicas store
     * it once and supersede nothing newer; or without a version, while no node can have executed
     * it.
     *
     * <p>Nothing is sent after an attempt without a version whose outcome is unknown: a new write
     * would supersede later writes of other clients, and a condition could hold twice.
     */
    static final class WriteRule implements Rule<WriteResult> {

        private final Request request;
        private final boolean isConditional;
        private final Rule.Problems problems = new Rule.Problems();

        private @Nullable Version version;

        /** Whether the client chose the version, so that the write does not depend on it. */
        private boolean isChosen;

        /** Whether a node may have stored the write, or may store it later. */
        private boolean isMaybeStored;

        /**
         * @param request the request without the version
         * @param version the version of an earlier attempt, given, or chosen for this write; null
         *     to let a node choose it
         * @param isChosen whether this client chose the version
         * @param isMaybeStored whether an earlier attempt may have stored it
         */
        WriteRule(
                Request request,
                boolean isConditional,
                @Nullable Version version,
                boolean isChosen,
                boolean isMaybeStored) {
            this.request = request;
            this.isConditional = isConditional;
            this.version = version;
            this.isChosen = isChosen;
            this.isMaybeStored = isMaybeStored;
        }

        @Override
        public Request request() {
            return version == null ? request : request.with("X-Quorate-Version", version.text());
        }

        @Nullable Version version() {
            return version;
        }

        /** Whether it only changes the expiry, which has no version to be sent again with. */
        private boolean isRenewal() {
            return request.method().equals("PATCH");
        }

        @Override
        public boolean isRepeatable() {
            return version != null;
        }

        @Override
        public Step<WriteResult> after(String node, Request.Attempt attempt) {
            if (attempt instanceof Request.Attempt.Answered answered) {
                Version named = answered.version();
                int status = answered.status();
                if ((status == 201 || status == 202 || status == 204) && named != null) {
                    return new Step.Done<>(new WriteResult.Written(named));
                }
                if (answered.status() == 412 && answered.isProblem() && isConditional) {
                    return new Step.Done<>(new WriteResult.Unmet(Optional.ofNullable(named)));
                }
                if (status == 404 && answered.isProblem() && isRenewal()) {
                    return new Step.Done<>(new WriteResult.Unmet(Optional.empty()));
                }
                problems.add(node, "answered " + answered);
                if (answered.isRefusal()) {
                    return refused(node, answered);
                }
                if (answered.status() == 504 && answered.isProblem()) {
                    return indeterminate(named);
                }
            } else {
                problems.add(node, attempt);
            }
            return attempt.isWithoutEffect() ? new Step.Again<>() : unanswered();
        }

        private Step<WriteResult> refused(String node, Request.Attempt.Answered answered) {
            if (isMaybeStored) {
                return new Step.Failed<>(
                        unknown("It is refused now, and what became of an earlier"));
            }
            if (answered.status() == 409 && isChosen) {
                // The clock of this machine differs too much from the nodes'. Nothing was written.
                version = null;
                isChosen = false;
                return new Step.Again<>();
            }
            return new Step.Failed<>(
                    new RefusedException(answered.status(), node + " answered " + answered));
        }

        /** Handles a 504. Without a version in the answer, the node has changed nothing. */
        private Step<WriteResult> indeterminate(@Nullable Version named) {
            if (named != null) {
                isMaybeStored = true;
                if (isRenewal()) {
                    return onDelay();
                }
                version = version == null ? named : version;
            }
            return new Step.Again<>();
        }

        private Step<WriteResult> unanswered() {
            isMaybeStored = true;
            return version == null ? onDelay() : new Step.Again<>();
        }

        @Override
        public Step<WriteResult> onDelay() {
            return new Step.Failed<>(
                    isMaybeStored
                            ? unknown("What became of an")
                            : new UnavailableException(
                                    problems.after("No node could write it. Nothing is stored.")));
        }

        private OutcomeUnknownException unknown(String why) {
            return new OutcomeUnknownException(
                    problems.after(why + " attempt to write it is not known."), version);
        }
    }

    /**
     * A batch. Each line has the rule of a single operation; the unfinished lines are sent again
     * together.
     *
     * <p>Nodes execute the lines of one key in order. So if a key is written and has several lines,
     * none of them is sent again separately: it could be executed after, or overwrite, later lines.
     */
    static final class BatchRule implements Rule<List<BatchResult>> {

        private record Line(BatchOperation operation, Rule<?> rule, int place) {}

        private final String target;
        private final BatchResult[] results;
        private final Map<Key, Boolean> isOrdered = new HashMap<>();
        private List<Line> pending = new ArrayList<>();

        BatchRule(List<BatchOperation> operations, WriteOptions options, Http.Versions versions) {
            this.target = target(options);
            this.results = new BatchResult[operations.size()];
            Map<Key, Boolean> isWritten = new HashMap<>();
            for (BatchOperation operation : operations) {
                Key key = operation.key();
                boolean isWrite = operation.isWrite() || isWritten.getOrDefault(key, false);
                isOrdered.put(key, isWrite && isWritten.containsKey(key));
                isWritten.put(key, isWrite);
                pending.add(new Line(operation, rule(operation, versions), pending.size()));
            }
        }

        private static String target(WriteOptions options) {
            if (options.timeToLive() != null
                    || options.version() != null
                    || options.contentType() != null
                    || options.isRepeatable()) {
                throw new IllegalArgumentException(
                        "A batch has replicas, consistency and a deadline; the rest is of its lines.");
            }
            return "/v0/entities?consistency="
                    + (options.isLinearizable() ? "linearizable" : "quorum")
                    + (options.replicas() == null ? "" : "&replicas=" + options.replicas());
        }

        private static Rule<?> rule(BatchOperation operation, Http.Versions versions) {
            Request none = Request.get("");
            if (!operation.isWrite()) {
                return new Rule.ReadRule<>(
                        none, answer -> AsyncQuorateClient.Entities.read(operation.key(), answer));
            }
            boolean isNamed = operation.mayBeNamed();
            Version version = isNamed ? versions.next(null) : operation.version();
            return new Rule.WriteRule(none, operation.isConditional(), version, isNamed, false);
        }

        private static @Nullable Version version(Line line) {
            return line.rule() instanceof Rule.WriteRule write ? write.version() : null;
        }

        @Override
        public Request request() {
            StringBuilder lines = new StringBuilder();
            for (Line line : pending) {
                lines.append(line.operation().line(version(line)));
            }
            return new Request("POST", target, List.of(), Json.bytes(lines.toString()))
                    .with("Content-Type", "application/x-ndjson");
        }

        @Override
        public boolean isRepeatable() {
            return pending.stream().allMatch(line -> line.rule().isRepeatable());
        }

        @Override
        public Step<List<BatchResult>> after(String node, Request.Attempt attempt) {
            Request.Attempt whole = attempt;
            List<Request.Attempt> answers = null;
            if (attempt instanceof Request.Attempt.Answered answered && answered.status() == 200) {
                try {
                    answers = answers(answered);
                } catch (Json.BadAnswerException e) {
                    whole =
                            new Request.Attempt.NotAnswered(
                                    "its answer cannot be read: " + e.getMessage());
                }
            }
            boolean isWithoutEffect = whole.isWithoutEffect();
            List<Line> again = new ArrayList<>();
            for (int i = 0; i < pending.size(); i++) {
                Line line = pending.get(i);
                Step<?> step = line.rule().after(node, answers == null ? whole : answers.get(i));
                boolean isFixed =
                        !isWithoutEffect && isOrdered.getOrDefault(line.operation().key(), false);
                if (step instanceof Step.Again && isFixed) {
                    step = line.rule().onDelay();
                }
                if (step instanceof Step.Again) {
                    again.add(line);
                } else {
                    results[line.place()] = result(step);
                }
            }
            pending = again;
            return pending.isEmpty() ? done() : new Step.Again<>();
        }

        @Override
        public Step<List<BatchResult>> onDelay() {
            for (Line line : pending) {
                results[line.place()] = result(line.rule().onDelay());
            }
            pending = List.of();
            return done();
        }

        private Step<List<BatchResult>> done() {
            return new Step.Done<>(List.copyOf(Arrays.asList(results)));
        }

        private static BatchResult result(Step<?> step) {
            if (step instanceof Step.Failed<?> failed) {
                return new BatchResult.Failed(failed.why());
            }
            Object result = ((Step.Done<?>) step).result();
            if (result instanceof WriteResult.Written written) {
                return new BatchResult.Written(written.version());
            }
            if (result instanceof WriteResult.Unmet unmet) {
                return new BatchResult.Unmet(unmet.current());
            }
            return new BatchResult.Read(((Optional<?>) result).map(Entry.class::cast));
        }

        /** The answer to each pending line, as that of a single operation. */
        private List<Request.Attempt> answers(Request.Attempt.Answered whole)
                throws Json.BadAnswerException {
            List<Request.Attempt> answers = new ArrayList<>();
            String text = new String(whole.body(), StandardCharsets.UTF_8);
            for (String line : text.split("\n", -1)) {
                if (!line.isEmpty()) {
                    answers.add(answer(line));
                }
            }
            if (answers.size() != pending.size()) {
                throw new Json.BadAnswerException(
                        answers.size() + " lines, where " + pending.size() + " were asked");
            }
            return answers;
        }

        private static Request.Attempt answer(String line) throws Json.BadAnswerException {
            Json.Members members = Json.object(line);
            try {
                Version version =
                        members.has("version") ? new Version(members.text("version")) : null;
                int status = Math.toIntExact(members.number("status"));
                byte[] body = Json.bytes(line);
                if (members.has("valueBase64")) {
                    body = Base64.getDecoder().decode(members.text("valueBase64"));
                } else if (members.has("value")) {
                    body = Json.bytes(members.text("value"));
                } else if (status == 200) {
                    throw new Json.BadAnswerException("a value is missing");
                }
                String contentType =
                        members.has("contentType") ? members.text("contentType") : null;
                Instant expires =
                        members.has("expires")
                                ? Instant.ofEpochMilli(members.number("expires"))
                                : null;
                return new Request.Attempt.Answered(
                        status,
                        version,
                        status >= 400,
                        contentType,
                        expires,
                        0,
                        null,
                        List.of(),
                        body);
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw new Json.BadAnswerException("a line that is none: " + e.getMessage());
            }
        }
    }
}
