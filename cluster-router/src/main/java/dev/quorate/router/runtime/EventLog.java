package dev.quorate.router.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The events of a node that operators want to know later, such as a peer that is down. Each is a
 * line of the logger {@code events}, and the last {@link #MAX_EVENTS} are in memory. An event is
 * reported once, where it is detected. No event contains a key or a value. Thread-safe.
 *
 * <p>Sequence numbers begin at the start of the process in milliseconds, times {@link #PER_MILLI}:
 * a reader that knows a number of an earlier process gets all events of this one.
 */
public final class EventLog {

    /** Maximum number of events in memory, of about 300 bytes each. */
    public static final int MAX_EVENTS = 500;

    /** Longer texts are cut: they may quote text from another machine. */
    static final int MAX_CHARS = 400;

    /** More than the events of a millisecond. The product is exact in a double until 2255. */
    private static final long PER_MILLI = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger("events");

    /**
     * An event.
     *
     * @param sequence grows with each event, also across restarts unless the clock was set back
     * @param millis the time, in milliseconds since 1970
     * @param level {@code WARN}: the cluster handles it; {@code ERROR}: an operator should act
     * @param text a sentence without its full stop
     */
    public record Event(long sequence, long millis, Level level, String text) {}

    private final Ticker ticker;

    /** Guarded by this, like {@code last}. */
    private final Deque<Event> events = new ArrayDeque<>();

    private long last;

    public EventLog(Ticker ticker) {
        this.ticker = ticker;
        last = Math.max(ticker.wallMillis(), 0) * PER_MILLI;
    }

    /** Reports a normal event. */
    public void info(String text) {
        add(Level.INFO, text);
    }

    /** Reports a problem that the cluster handles. */
    public void warn(String text) {
        add(Level.WARN, text);
    }

    /** Reports a problem that an operator should handle. */
    public void error(String text) {
        add(Level.ERROR, text);
    }

    private void add(Level level, String text) {
        String cut = text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS - 3) + "..." : text;
        synchronized (this) {
            if (events.size() == MAX_EVENTS) {
                events.removeFirst();
            }
            last++;
            events.addLast(new Event(last, ticker.wallMillis(), level, cut));
        }
        write(level, cut);
    }

    /** Drops the line if the logging library throws: the thread may complete writes. */
    private static void write(Level level, String text) {
        try {
            LOG.atLevel(level).log(text);
        } catch (RuntimeException | Error e) {
            // The event is still in memory.
        }
    }

    /** The sequence number of the last event. */
    public synchronized long last() {
        return last;
    }

    /**
     * The events after this sequence number, oldest first. All events if the number is above the
     * last one: then it is from another process, whose clock was ahead.
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

    /** A duration in the text of an event, such as {@code 0.3 s} or {@code 2 min 5 s}. */
    public static String span(long millis) {
        long seconds = Math.max(millis, 0) / 1_000;
        if (seconds < 2) {
            return String.format(Locale.ROOT, "%.1f s", Math.max(millis, 0) / 1_000.0);
        }
        return seconds < 60 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
    }
}
