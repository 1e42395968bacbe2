package dev.quorate.testkit.page;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An HTML comment that says how a block, or all blocks of a page, are tested. */
public sealed interface Note {

    /** There is none: the block is run with the others of its page. */
    record None() implements Note {}

    /** It is not run. */
    record NotRun(String reason) implements Note {}

    /** A test runs, compiles or reads it. */
    record RunBy(String test) implements Note {}

    /** Commands that change nothing are repeated until they print what the page says. */
    record Repeated(String reason) implements Note {}

    /** Parses a line; empty if it is no such comment. */
    static Optional<Note> parse(String line) {
        Matcher comment =
                Pattern.compile("<!-- (not run|run by|repeated): (.+) -->").matcher(line.strip());
        if (!comment.matches()) {
            return Optional.empty();
        }
        String text = comment.group(2);
        return Optional.of(
                switch (comment.group(1)) {
                    case "not run" -> new NotRun(text);
                    case "run by" -> new RunBy(text);
                    default -> new Repeated(text);
                });
    }
}
