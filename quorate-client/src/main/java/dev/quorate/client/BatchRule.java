package dev.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A batch: each line has the rule that it would have by itself, and those that are not done are
 * sent again, together.
 *
 * <p>Lines with one key are made in their order. So where a key is written and has several lines,
 * none of them is sent again by itself: it could overtake, or overwrite, those behind it.
 */
final class BatchRule implements Rule<List<BatchResult>> {

    /** A line, and what decides it. */
    private record Line(BatchOperation operation, Rule<?> rule, int place) {}

    private final String target;
    private final BatchResult[] results;
    private final Map<Key, Boolean> isOrdered = new HashMap<>();
    private List<Line> pending = new ArrayList<>();

    BatchRule(List<BatchOperation> operations, WriteOptions options, Versions versions) {
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

    private static Rule<?> rule(BatchOperation operation, Versions versions) {
        Request none = Request.get("");
        if (!operation.isWrite()) {
            return new ReadRule<>(none, answer -> Entities.read(operation.key(), answer));
        }
        boolean isNamed = operation.mayBeNamed();
        Version version = isNamed ? versions.next(null) : operation.version();
        return new WriteRule(none, operation.isConditional(), version, isNamed, false);
    }

    private static @Nullable Version version(Line line) {
        return line.rule() instanceof WriteRule write ? write.version() : null;
    }

    @Override
    public Request request() {
        StringBuilder lines = new StringBuilder();
        for (Line line : pending) {
            lines.append(line.operation().line(version(line)));
        }
        return new Request("POST", target, List.of(), Text.bytes(lines.toString()))
                .with("Content-Type", "application/x-ndjson");
    }

    @Override
    public boolean isRepeatable() {
        return pending.stream().allMatch(line -> line.rule().isRepeatable());
    }

    @Override
    public Step<List<BatchResult>> after(String node, Attempt attempt) {
        Attempt whole = attempt;
        List<Attempt> answers = null;
        if (attempt instanceof Attempt.Answered answered && answered.status() == 200) {
            try {
                answers = answers(answered);
            } catch (Json.BadAnswerException e) {
                whole = new Attempt.NotAnswered("what came is no answer, " + e.getMessage());
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
                step = line.rule().late();
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
    public Step<List<BatchResult>> late() {
        for (Line line : pending) {
            results[line.place()] = result(line.rule().late());
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

    /** The answer to each pending line, as if it had been asked by itself. */
    private List<Attempt> answers(Attempt.Answered whole) throws Json.BadAnswerException {
        List<Attempt> answers = new ArrayList<>();
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

    private static Attempt answer(String line) throws Json.BadAnswerException {
        Json.Members members = Json.object(line);
        try {
            Version version = members.has("version") ? new Version(members.text("version")) : null;
            int status = Math.toIntExact(members.number("status"));
            byte[] body = Text.bytes(line);
            if (members.has("valueBase64")) {
                body = Base64.getDecoder().decode(members.text("valueBase64"));
            } else if (members.has("value")) {
                body = Text.bytes(members.text("value"));
            } else if (status == 200) {
                throw new Json.BadAnswerException("a value is missing");
            }
            String contentType = members.has("contentType") ? members.text("contentType") : null;
            return new Attempt.Answered(status, version, status >= 400, contentType, 0, body);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new Json.BadAnswerException("a line that is none: " + e.getMessage());
        }
    }
}
