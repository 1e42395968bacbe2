package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A history of one key written by hand, at whole milliseconds. */
final class HistoryBuilder {

    private final List<Operation> operations = new ArrayList<>();
    private int ack = 2;
    private int from = 3;
    private String versions = "";

    /** From here on each answer has a version, named after its value. */
    HistoryBuilder withVersions() {
        return withVersions("of ");
    }

    /** From here on each answer has a version: this text before its value. */
    HistoryBuilder withVersions(String versions) {
        this.versions = versions;
        return this;
    }

    private String version(String value) {
        return versions.isEmpty() ? "" : versions + value;
    }

    /** From here on. */
    HistoryBuilder at(int ack, int from) {
        this.ack = ack;
        this.from = from;
        return this;
    }

    HistoryBuilder put(long began, long ended, String value) {
        return add(began, ended, new Action.Put(value), new Answer.Stored(version(value)));
    }

    HistoryBuilder delete(long began, long ended) {
        return add(began, ended, new Action.Delete(), new Answer.Deleted(""));
    }

    HistoryBuilder maybePut(long began, long ended, String value) {
        return add(began, ended, new Action.Put(value), new Answer.Indeterminate("504"));
    }

    HistoryBuilder maybeDelete(long began, long ended) {
        return add(began, ended, new Action.Delete(), new Answer.Indeterminate("504"));
    }

    HistoryBuilder refusedPut(long began, long ended, String value) {
        return add(began, ended, new Action.Put(value), new Answer.Refused("503"));
    }

    HistoryBuilder read(long began, long ended, String value) {
        return add(began, ended, new Action.Get(), new Answer.Value(value, version(value)));
    }

    HistoryBuilder readNothing(long began, long ended) {
        return add(began, ended, new Action.Get(), new Answer.Absent());
    }

    HistoryBuilder putIf(long began, long ended, String value, HistoryCondition condition) {
        return add(
                began, ended, new Action.Put(value, condition), new Answer.Stored(version(value)));
    }

    HistoryBuilder maybePutIf(long began, long ended, String value, HistoryCondition condition) {
        return add(began, ended, new Action.Put(value, condition), new Answer.Indeterminate("504"));
    }

    /** Refused with 412, because of what was there; null for nothing. */
    HistoryBuilder unmetPut(
            long began,
            long ended,
            String value,
            HistoryCondition condition,
            @Nullable String there) {
        return add(
                began,
                ended,
                new Action.Put(value, condition),
                new Answer.Unmet(there == null ? "" : version(there)));
    }

    HistoryBuilder deleteIf(long began, long ended, HistoryCondition condition) {
        return add(began, ended, new Action.Delete(condition), new Answer.Deleted(""));
    }

    private HistoryBuilder add(long began, long ended, Action action, Answer answer) {
        operations.add(
                new Operation(
                        operations.size(),
                        "a",
                        action,
                        ack,
                        from,
                        new Moment(began, began * 1_000_000),
                        new Moment(ended, ended * 1_000_000),
                        answer));
        return this;
    }

    History history() {
        return new History(operations);
    }

    HistoryVerdict under(Promise promise) {
        return Checker.check(history(), promise);
    }
}
