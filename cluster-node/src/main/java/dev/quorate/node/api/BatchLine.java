package dev.quorate.node.api;

import dev.quorate.node.api.answer.ReadCondition;
import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.conditional.ConditionalRequest.Condition;
import dev.quorate.router.coordinator.operation.NewValue;
import dev.quorate.storage.Timestamp;
import org.jspecify.annotations.Nullable;

/** One request of a batch. */
sealed interface BatchLine {

    /** A read, as {@code GET} of an entity; {@code condition} is null without one. */
    record Get(byte[] key, @Nullable ReadCondition condition) implements BatchLine {}

    /**
     * A write, as {@code PUT} or {@code DELETE} of an entity.
     *
     * @param value null deletes
     * @param version the version of an earlier attempt; null for a new write
     */
    record Write(
            byte[] key,
            @Nullable NewValue value,
            @Nullable Timestamp version,
            @Nullable Condition condition)
            implements BatchLine {}

    /** An invalid line, answered with a problem. */
    record Refused(HttpResponse problem) implements BatchLine {}
}
