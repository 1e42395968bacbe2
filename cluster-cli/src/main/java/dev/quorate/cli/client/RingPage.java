package dev.quorate.cli.client;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /v0/ring} of a node says.
 *
 * @param self the name of the member that answers
 * @param members the names of all
 * @param placement what determines the owners of keys, as text that is the same at each member
 */
public record RingPage(String self, List<String> members, String placement) {

    /** A member's name. It becomes a part of paths, so nothing else is taken for one. */
    public static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

    private static final Pattern SELF = Pattern.compile("\"self\":\"(" + NAME + ")\",?");
    private static final Pattern MEMBER = Pattern.compile("\"name\":\"(" + NAME + ")\"");

    public RingPage {
        members = List.copyOf(members);
    }

    /** Reads the page; null if it is none. */
    public static @Nullable RingPage parse(String page) {
        Matcher self = SELF.matcher(page);
        if (!self.find()) {
            return null;
        }
        return new RingPage(
                self.group(1),
                MEMBER.matcher(page).results().map(each -> each.group(1)).toList(),
                self.replaceFirst(""));
    }
}
