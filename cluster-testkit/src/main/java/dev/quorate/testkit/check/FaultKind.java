package dev.quorate.testkit.check;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of faults that a check injects. */
enum FaultKind {
    KILL("%s is killed", "%s starts", "%s killed"),
    /** SIGSTOP pauses a process: its connections remain open, and it does not answer. */
    PAUSE("%s is paused", "%s is resumed", "%s paused"),
    /** A {@link RelayNetwork} cuts links between nodes. */
    PARTITION("the network is cut: %s", "the network is healed of: %s", "cut %s"),
    STRANGERS("strangers connect to %s", "the strangers disconnect from %s", "strangers at %s");

    /** Formats for the log and the progress line; the argument is {@link Fault#place}. */
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

    /** Parses {@code kill,pause}, {@code all} or {@code none}; null for other text. */
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

    /** The name in options, such as {@code kill}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
