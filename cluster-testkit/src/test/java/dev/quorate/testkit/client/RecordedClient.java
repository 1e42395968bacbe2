package dev.quorate.testkit.client;

import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.OutcomeUnknownException;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.ReadOptions;
import dev.quorate.client.Version;
import dev.quorate.client.WriteOptions;
import dev.quorate.client.WriteResult;
import dev.quorate.router.runtime.SystemTicker;
import dev.quorate.testkit.history.Action;
import dev.quorate.testkit.history.Answer;
import dev.quorate.testkit.history.HistoryCondition;
import dev.quorate.testkit.history.Recorder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/** Records what a client does, as one client of a history. Its operations are at 2/3. */
final class RecordedClient {

    private static final int ACK = 2;
    private static final int FROM = 3;

    private final QuorateClient client;
    private final Recorder recorder;
    private final int number;

    RecordedClient(QuorateClient client, Recorder recorder, int number) {
        this.client = client;
        this.recorder = recorder;
        this.number = number;
    }

    /**
     * What a read found.
     *
     * @param isKnown whether a node could tell
     */
    record Found(boolean isKnown, Optional<Entry> entry) {}

    Found get(String key, ReadOptions options) {
        Recorder.Call call = begin(key, new Action.Get());
        try {
            Optional<Entry> found = client.get(Key.of(key), options);
            end(
                    call,
                    found.<Answer>map(e -> new Answer.Value(e.text(), e.version().text()))
                            .orElse(new Answer.Absent()));
            return new Found(true, found);
        } catch (QuorateException e) {
            end(call, new Answer.Indeterminate(String.valueOf(e.getMessage())));
            return new Found(false, Optional.empty());
        }
    }

    void put(String key, String value, WriteOptions options) {
        write(
                key,
                new Action.Put(value),
                () -> new WriteResult.Written(client.put(Key.of(key), bytes(value), options)));
    }

    void delete(String key, WriteOptions options) {
        write(
                key,
                new Action.Delete(),
                () -> new WriteResult.Written(client.delete(Key.of(key), options)));
    }

    /** Replaces what was read, or nothing. */
    void putIf(String key, String value, Optional<Entry> base) {
        HistoryCondition condition =
                base.<HistoryCondition>map(entry -> new HistoryCondition.Is(entry.text()))
                        .orElse(new HistoryCondition.Absent());
        dev.quorate.client.Condition asked =
                base.map(entry -> dev.quorate.client.Condition.ifMatch(entry.version()))
                        .orElse(dev.quorate.client.Condition.ifAbsent());
        write(
                key,
                new Action.Put(value, condition),
                () -> client.putIf(Key.of(key), bytes(value), asked, WriteOptions.DEFAULT));
    }

    /** The mistake: what has no answer is sent again as a new write, as if nothing had happened. */
    void putCarelessly(String key, String value, WriteOptions options) {
        write(
                key,
                new Action.Put(value),
                () -> new WriteResult.Written(putAgain(Key.of(key), bytes(value), options)));
    }

    private Version putAgain(Key key, byte[] value, WriteOptions options) {
        try {
            return client.put(key, value, options);
        } catch (OutcomeUnknownException e) {
            return putAgain(key, value, options);
        }
    }

    private void write(String key, Action action, Supplier<WriteResult> write) {
        Recorder.Call call = begin(key, action);
        try {
            end(call, answer(action, write.get()));
        } catch (OutcomeUnknownException e) {
            end(call, new Answer.Indeterminate(String.valueOf(e.getMessage())));
        } catch (QuorateException e) {
            end(call, new Answer.Refused(String.valueOf(e.getMessage())));
        }
    }

    /** A 412 without a version does not show what was there: an earlier attempt may have had it. */
    private static Answer answer(Action action, WriteResult result) {
        return switch (result) {
            case WriteResult.Written(Version version) ->
                    action instanceof Action.Delete
                            ? new Answer.Deleted(version.text())
                            : new Answer.Stored(version.text());
            case WriteResult.Unmet(Optional<Version> current) ->
                    current.<Answer>map(version -> new Answer.Unmet(version.text()))
                            .orElse(new Answer.Refused("412"));
        };
    }

    private Recorder.Call begin(String key, Action action) {
        return recorder.begin(number, key, action, ACK, FROM, SystemTicker.INSTANCE.nanos());
    }

    private static void end(Recorder.Call call, Answer answer) {
        call.end(answer, SystemTicker.INSTANCE.nanos());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
