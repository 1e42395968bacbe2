package dev.quorate.node.admin;

import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.EventLog.Event;
import dev.quorate.storage.Timestamp;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.event.Level;

/** Events as JSON: one object with all events, or one object per line. */
public final class EventsJson {

    private EventsJson() {}

    /**
     * One object.
     *
     * @param last the sequence number of the last event: {@code since} of the next request
     */
    static String page(String node, long last, List<Event> events) {
        String all =
                events.stream().map(event -> line(node, event)).collect(Collectors.joining(","));
        return "{\"node\":\"%s\",\"last\":%d,\"events\":[%s]}\n".formatted(node, last, all);
    }

    /** One object per line. */
    static String lines(String node, List<Event> events) {
        return events.stream().map(event -> line(node, event) + "\n").collect(Collectors.joining());
    }

    /** One object. */
    public static String line(String node, Event event) {
        Level level = event.level();
        return new JsonWriter(256)
                .beginObject()
                .field("node", node)
                .field("sequence", event.sequence())
                .field("time", Timestamp.time(event.millis()))
                .field(
                        "severity",
                        level == Level.WARN ? "warning" : level.name().toLowerCase(Locale.ROOT))
                .field("text", event.text())
                .endObject()
                .toString();
    }
}
