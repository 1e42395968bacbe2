package dev.quorate.node.admin;

import dev.quorate.node.events.Event;
import dev.quorate.node.events.Happening;
import dev.quorate.node.http.JsonWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Events as JSON: one object with all of them, or one object a line. */
public final class EventsJson {

    private static final int EVENT_CHARS = 256;

    private EventsJson() {}

    /**
     * One object.
     *
     * @param last the sequence number of the last event, from which the next request goes on
     */
    static String page(String node, long last, List<Event> events) {
        JsonWriter json =
                new JsonWriter(EVENT_CHARS * (1 + events.size()))
                        .beginObject()
                        .field("node", node)
                        .field("last", last)
                        .beginArray("events");
        events.forEach(event -> write(node, event, json));
        return json.endArray().endObject() + "\n";
    }

    /** One object a line. */
    public static String lines(String node, List<Event> events) {
        StringBuilder lines = new StringBuilder(EVENT_CHARS * events.size());
        for (Event event : events) {
            JsonWriter json = new JsonWriter(EVENT_CHARS);
            write(node, event, json);
            lines.append(json).append('\n');
        }
        return lines.toString();
    }

    /** As an element, or as the whole. */
    private static void write(String node, Event event, JsonWriter json) {
        Happening happening = event.happening();
        json.beginObject()
                .field("node", node)
                .field("sequence", event.sequence())
                .field("time", Instant.ofEpochMilli(happening.millis()).toString())
                .field("kind", happening.kind().label())
                .field("severity", happening.kind().severity().name().toLowerCase(Locale.ROOT));
        if (!happening.peer().isEmpty()) {
            json.field("peer", happening.peer());
        }
        json.field("text", happening.text()).endObject();
    }
}
