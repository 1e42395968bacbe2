package dev.quorate.testkit.check;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What may be done to a cluster. */
enum FaultKind {
    /** A process ends at once, as with {@code kill -9}. */
    KILL,
    /** A process stands still, as with {@code kill -STOP}. */
    PAUSE,
    /** Nodes do not reach each other. */
    PARTITION,
    /** Strangers come to a node's ports, and hold what they can get. */
    STRANGERS;

    /** As on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What {@code kill,pause}, {@code all} or {@code none} means; null if nothing. */
    static @Nullable Set<FaultKind> parse(String text) {
        Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        if (text.equals("none")) {
            return kinds;
        }
        if (text.equals("all")) {
            return EnumSet.allOf(FaultKind.class);
        }
        for (String word : text.split(",", -1)) {
            if (Arrays.stream(values()).noneMatch(kind -> kind.word().equals(word))) {
                return null;
            }
            kinds.add(valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return kinds;
    }

    static String words(Set<FaultKind> kinds) {
        return kinds.isEmpty()
                ? "none"
                : kinds.stream().sorted().map(FaultKind::word).collect(Collectors.joining(","));
    }
}
