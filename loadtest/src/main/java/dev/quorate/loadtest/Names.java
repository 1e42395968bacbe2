package dev.quorate.loadtest;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names that are chosen by a pattern, in which * stands for anything. */
final class Names {

    private Names() {}

    /** Whether a pattern names that, in capital letters or small ones. */
    static boolean matches(String pattern, String name) {
        String regex =
                Arrays.stream(pattern.split("\\*", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*"));
        return Pattern.compile(regex, Pattern.CASE_INSENSITIVE).matcher(name).matches();
    }
}
