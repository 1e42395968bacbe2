package dev.quorate.node.events;

/**
 * Something that has happened, before the log numbers it.
 *
 * @param millis when, in milliseconds since 1970
 * @param peer the other member that it concerns; empty if none
 * @param text a sentence without its full stop, at most {@link #MAX_CHARS} long
 */
public record Happening(long millis, EventKind kind, String peer, String text) {

    /** Longer texts are cut: they may quote what another machine has sent. */
    static final int MAX_CHARS = 400;

    public Happening {
        if (text.length() > MAX_CHARS) {
            text = text.substring(0, MAX_CHARS - 3) + "...";
        }
    }

    /** One that concerns this node alone. */
    public static Happening here(long millis, EventKind kind, String text) {
        return new Happening(millis, kind, "", text);
    }
}
