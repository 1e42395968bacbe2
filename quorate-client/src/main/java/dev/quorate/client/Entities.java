package dev.quorate.client;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests of single entities, and what their answers mean. */
final class Entities {

    private Entities() {}

    static Request get(Key key, ReadOptions options) {
        return Request.get(target(key, options.replicas(), options.isLinearizable()));
    }

    /** The version of what is there, without the value. */
    static Request head(Key key, WriteOptions options) {
        return new Request(
                "HEAD", target(key, options.replicas(), options.isLinearizable()), List.of(), null);
    }

    /**
     * A write without its version.
     *
     * @param value null deletes
     */
    static Request write(
            Key key, byte @Nullable [] value, @Nullable Condition condition, WriteOptions options) {
        String ttl = options.timeToLive() == null ? "" : "&ttl=" + options.timeToLive().toSeconds();
        String target = target(key, options.replicas(), options.isLinearizable()) + ttl;
        Request request = new Request(value == null ? "DELETE" : "PUT", target, List.of(), value);
        if (options.contentType() != null) {
            request = request.with("Content-Type", options.contentType());
        }
        return condition == null
                ? request
                : request.with(condition.header(), condition.headerValue());
    }

    private static String target(Key key, @Nullable Replicas replicas, boolean isLinearizable) {
        return "/v0/entity?id="
                + Text.encoded(key.shared())
                + (replicas == null ? "" : "&replicas=" + replicas)
                + (isLinearizable ? "&consistency=linearizable" : "");
    }

    static Optional<Entry> read(Key key, Attempt.Answered answer) throws Json.BadAnswerException {
        if (answer.status() != 200) {
            return Optional.empty();
        }
        return Optional.of(
                new Entry(key, answer.body(), required(answer), answer.contentType(), null));
    }

    private static Version required(Attempt.Answered answer) throws Json.BadAnswerException {
        Version version = answer.version();
        if (version == null) {
            throw new Json.BadAnswerException("a value without a version");
        }
        return version;
    }

    /** The version of the value, or of the deletion; empty if nothing is known of the key. */
    static Optional<Version> version(Attempt.Answered answer) throws Json.BadAnswerException {
        return answer.status() == 200
                ? Optional.of(required(answer))
                : Optional.ofNullable(answer.version());
    }
}
