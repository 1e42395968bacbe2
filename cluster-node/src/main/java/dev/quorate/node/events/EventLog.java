package dev.quorate.node.events;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The last {@link #MAX_EVENTS} events of this node, in memory. Thread-safe.
 *
 * <p>The sequence numbers of a process begin with its start in milliseconds, times {@link
 * #PER_MILLI}: a reader that has seen those of an earlier process gets all of this one.
 */
public final class EventLog {

    /** Of about 300 bytes each. */
    public static final int MAX_EVENTS = 1_000;

    /** More than there are events in a millisecond. The product is exact in a double until 2255. */
    private static final long PER_MILLI = 1_000;

    /** Guarded by this, as is the next. */
    private final Deque<Event> events = new ArrayDeque<>();

    private long last;

    /**
     * @param startedMillis when the node started, in milliseconds since 1970
     */
    public EventLog(long startedMillis) {
        last = Math.max(startedMillis, 0) * PER_MILLI;
    }

    /** Adds an event. */
    public synchronized void add(Happening happening) {
        if (events.size() == MAX_EVENTS) {
            events.removeFirst();
        }
        last++;
        events.addLast(new Event(last, happening));
    }

    /** The sequence number of the last event. */
    public synchronized long last() {
        return last;
    }

    /**
     * The events after this sequence number, oldest first. All of them if the number is above the
     * last one: then it is of another process, whose clock was ahead.
     */
    public synchronized List<Event> since(long sequence) {
        List<Event> found = new ArrayList<>();
        for (Event event : events) {
            if (event.sequence() > sequence || sequence > last) {
                found.add(event);
            }
        }
        return found;
    }
}
