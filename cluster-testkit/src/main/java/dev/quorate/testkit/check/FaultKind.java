package dev.quorate.testkit.check;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The faults that a check injects. */
enum FaultKind {
    /** SIGKILL ends a process. */
    KILL("%s is killed", "%s starts", "%s killed"),
    /** SIGSTOP pauses a process: its connections stay open, and it does not answer. */
    PAUSE("%s is paused", "%s is resumed", "%s paused"),
    /** A {@link RelayNetwork} cuts links between nodes. */
    PARTITION("the network is cut: %s", "the network is healed of: %s", "cut %s"),
    /** Strangers connect to the ports of a node and occupy what it lets them. */
    STRANGERS("strangers connect to %s", "the strangers disconnect from %s", "strangers at %s");

    /** What is reported when a fault begins and ends, and as long as it lasts, with its place. */
    final String beginning;

    final String end;
    final String present;

    FaultKind(String beginning, String end, String present) {
        this.beginning = beginning;
        this.end = end;
        this.present = present;
    }

    /** The faults of a cluster that the check starts. */
    static Set<FaultKind> all() {
        return EnumSet.allOf(FaultKind.class);
    }

    /** The faults of a cluster of {@code ./quorate up}, whose nodes have no relays. */
    static Set<FaultKind> withoutRelays() {
        return EnumSet.of(KILL, PAUSE, STRANGERS);
    }

    /**
     * Parses {@code kill,pause}, {@code all} or {@code none}; null if the text is none of these.
     */
    static @Nullable Set<FaultKind> parse(String text) {
        Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        if (text.equals("none")) {
            return kinds;
        }
        if (text.equals("all")) {
            return all();
        }
        for (String word : text.split(",", -1)) {
            var named = all().stream().filter(kind -> kind.word().equals(word)).findFirst();
            if (named.isEmpty()) {
                return null;
            }
            kinds.add(named.get());
        }
        return kinds;
    }

    static String words(Set<FaultKind> kinds) {
        return kinds.isEmpty()
                ? "none"
                : kinds.stream().sorted().map(FaultKind::word).collect(Collectors.joining(","));
    }

    /** As an action: {@code kill}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
