package dev.quorate.testkit.history;

import dev.quorate.testkit.history.Operation.Moment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes a history in Jepsen's format, which its tools (Knossos, Elle) can check: EDN, one event a
 * line, with a register for each key as in {@code jepsen.independent}.
 *
 * <p>A value is {@code [key value]}; a Clojure program has to convert these pairs into independent
 * tuples. The absence of a value is {@code :absent}, both as written by a DELETE and as observed by
 * a read, for the model {@code (knossos.model/register :absent)}. ({@code nil} would mean an
 * unknown value.) A conditional write is a {@code :cas} of {@code [expected new]}, for the model
 * {@code (knossos.model/cas-register :absent)}.
 *
 * <p>Writes with an unknown outcome end in {@code :info}, and their client continues under a new
 * process number, as Jepsen requires. Reads with an unknown outcome, and refused operations, end in
 * {@code :fail}. Unanswered operations have no end event. Times are in nanoseconds.
 */
public final class JepsenExport {

    private record Event(Operation operation, boolean isEnd) {

        Moment moment() {
            return isEnd ? operation.ended() : operation.began();
        }
    }

    private final Appendable out;
    private final IdentityHashMap<Operation, Integer> open = new IdentityHashMap<>();
    private final Map<Integer, Integer> processOfClient = new HashMap<>();
    private final Set<Integer> busy = new HashSet<>();
    private int processes;
    private int index;

    private JepsenExport(Appendable out) {
        this.out = out;
    }

    public static void write(History history, Appendable out) throws IOException {
        List<Event> events = new ArrayList<>();
        for (Operation operation : history.operations()) {
            events.add(new Event(operation, false));
            if (!operation.ended().equals(Moment.NEVER)) {
                events.add(new Event(operation, true));
            }
        }
        // At equal times beginnings precede ends, so that such operations overlap.
        events.sort(
                Comparator.comparingLong((Event event) -> event.moment().order())
                        .thenComparing(Event::isEnd));
        JepsenExport export = new JepsenExport(out);
        for (Event event : events) {
            if (event.isEnd) {
                export.writeEnd(event.operation);
            } else {
                export.writeBegin(event.operation);
            }
        }
    }

    private void writeBegin(Operation operation) throws IOException {
        Integer process = processOfClient.get(operation.client());
        if (process == null || busy.contains(process)) {
            process = processes++;
            processOfClient.put(operation.client(), process);
        }
        busy.add(process);
        open.put(operation, process);
        writeLine(":invoke", operation, asked(operation.action()), process, operation.began(), "");
    }

    private void writeEnd(Operation operation) throws IOException {
        int process = open.getOrDefault(operation, 0);
        String asked = asked(operation.action());
        boolean isMaybe =
                operation.answer() instanceof Answer.Indeterminate && operation.action().isWrite();
        if (!isMaybe) {
            busy.remove(process);
        }
        Moment ended = operation.ended();
        switch (operation.answer()) {
            case Answer.Stored(_), Answer.Deleted(_) ->
                    writeLine(":ok", operation, asked, process, ended, "");
            case Answer.Value(String value, _) ->
                    writeLine(":ok", operation, HistoryText.quoted(value), process, ended, "");
            case Answer.Absent() -> writeLine(":ok", operation, ":absent", process, ended, "");
            case Answer.Indeterminate(String why) ->
                    writeLine(isMaybe ? ":info" : ":fail", operation, asked, process, ended, why);
            case Answer.Unmet(_) ->
                    writeLine(":fail", operation, asked, process, ended, "condition");
            case Answer.Refused(String why) ->
                    writeLine(":fail", operation, asked, process, ended, why);
        }
    }

    private static String asked(Action action) {
        String written =
                switch (action) {
                    case Action.Get() -> "nil";
                    case Action.Put(String value, _) -> HistoryText.quoted(value);
                    case Action.Delete(_) -> ":absent";
                };
        return switch (action.condition()) {
            case HistoryCondition.None(), HistoryCondition.Present() -> written;
            case HistoryCondition.Is(String value) ->
                    "[" + HistoryText.quoted(value) + " " + written + "]";
            case HistoryCondition.Absent() -> "[:absent " + written + "]";
        };
    }

    /**
     * The condition that the key has any value is exported as an unconditional write, because
     * Knossos does not support it. Knossos then checks less, but correctly.
     */
    private static String function(Action action) {
        return switch (action.condition()) {
            case HistoryCondition.None(), HistoryCondition.Present() ->
                    action.isWrite() ? ":write" : ":read";
            case HistoryCondition.Is(_), HistoryCondition.Absent() -> ":cas";
        };
    }

    private void writeLine(
            String type, Operation operation, String value, int process, Moment moment, String why)
            throws IOException {
        out.append("{:type ").append(type);
        out.append(", :f ").append(function(operation.action()));
        out.append(", :value [").append(HistoryText.quoted(operation.key())).append(' ');
        out.append(value).append("], :process ").append(Integer.toString(process));
        out.append(", :time ").append(Long.toString(moment.nanos()));
        out.append(", :index ").append(Integer.toString(index));
        index++;
        if (!why.isEmpty()) {
            out.append(", :error ").append(HistoryText.quoted(why));
        }
        out.append("}\n");
    }
}
