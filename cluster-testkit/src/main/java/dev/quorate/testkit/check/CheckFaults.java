package dev.quorate.testkit.check;

import dev.quorate.harness.FaultKind;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The faults that a check injects, as on its command line. */
final class CheckFaults {

    private CheckFaults() {}

    /** The faults of a cluster that the check starts. */
    static Set<FaultKind> all() {
        return EnumSet.range(FaultKind.KILL, FaultKind.STRANGERS);
    }

    /** The faults of a cluster of {@code ./quorate up}, whose nodes have no relays. */
    static Set<FaultKind> withoutRelays() {
        return EnumSet.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.STRANGERS);
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
}
