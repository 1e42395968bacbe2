package dev.quorate.node.api.answer;

import dev.quorate.node.http.HttpResponse;
import dev.quorate.router.coordinator.operation.Explanation;
import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.coordinator.operation.OutcomeCallback;
import dev.quorate.router.message.TraceParent;
import dev.quorate.router.runtime.HeldRoom;
import dev.quorate.storage.Entry;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A read with a condition on the version found. */
public final class ConditionalRead implements OutcomeCallback {

    private final ReadCondition condition;
    private final OutcomeCallback inside;
    private final Consumer<HttpResponse> respond;
    private HeldRoom room = HeldRoom.NONE;

    /**
     * @param inside completed if the condition holds
     * @param respond sends the answer if it does not
     */
    public ConditionalRead(
            ReadCondition condition, OutcomeCallback inside, Consumer<HttpResponse> respond) {
        this.condition = condition;
        this.inside = inside;
        this.respond = respond;
    }

    @Override
    public @Nullable TraceParent trace() {
        return inside.trace();
    }

    @Override
    public boolean isExplained() {
        return inside.isExplained();
    }

    @Override
    public void acceptRoom(HeldRoom valueRoom) {
        room = valueRoom;
    }

    @Override
    public void completed(Outcome outcome) {
        if (holds(outcome, null)) {
            inside.completed(outcome);
        }
    }

    @Override
    public void completed(Outcome outcome, Explanation explanation) {
        if (holds(outcome, explanation)) {
            inside.completed(outcome, explanation);
        }
    }

    /** Passes the memory on if the condition holds; otherwise answers. */
    private boolean holds(Outcome outcome, @Nullable Explanation explanation) {
        Entry entry = outcome instanceof Outcome.Found(Entry found) ? found : null;
        HttpResponse answer = entry == null ? null : condition.answerFor(entry);
        if (entry == null || answer == null) {
            inside.acceptRoom(room);
            return true;
        }
        room.release();
        respond.accept(
                explanation == null
                        ? answer
                        : answer.with(
                                OutcomeAnswers.withExpiry(entry, Explaining.headers(explanation))));
        return false;
    }
}
