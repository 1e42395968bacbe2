package dev.quorate.loadtest.report.flame;

import dev.quorate.harness.CommandException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Collapsed stacks: on each line the frames from the root to the leaf, with semicolons between
 * them, and how much was seen of it.
 *
 * <pre>
 * java/lang/Thread.run;dev/quorate/node/http/HttpListener.run;__send 217
 * </pre>
 *
 * @param stacks in the order of the lines
 */
public record Stacks(List<Stack> stacks) {

    /** So few digits that the sum of all lines of a file fits into a long. */
    private static final Pattern LINE = Pattern.compile("(.+) (\\d{1,15})");

    /**
     * How async-profiler marks which kind of code a frame is, such as {@code _[j]} or {@code _[k]}.
     */
    private static final Pattern MARK = Pattern.compile("_\\[[0-9a-z]\\]$");

    /**
     * One line.
     *
     * @param frames the leaf is the last
     * @param count samples, bytes or nanoseconds
     */
    public record Stack(List<String> frames, long count) {

        public Stack {
            frames = List.copyOf(frames);
        }
    }

    public Stacks {
        stacks = List.copyOf(stacks);
    }

    /**
     * Reads lines.
     *
     * @param source what has the lines, for the message
     * @throws CommandException if a line is no stack, as the last one of half a file
     */
    public static Stacks parse(String source, List<String> lines) throws CommandException {
        Map<String, String> known = new HashMap<>();
        List<Stack> stacks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = LINE.matcher(lines.get(i));
            if (!matcher.matches()) {
                throw new CommandException(
                        "line " + (i + 1) + " of " + source + " is not a stack and a number.");
            }
            List<String> frames = new ArrayList<>();
            for (String frame : matcher.group(1).split(";", -1)) {
                String plain = MARK.matcher(frame).replaceFirst("");
                String shared = known.putIfAbsent(plain, plain);
                frames.add(shared == null ? plain : shared);
            }
            stacks.add(new Stack(frames, Long.parseLong(matcher.group(2))));
        }
        return new Stacks(stacks);
    }

    /** The sum of all stacks. */
    public long total() {
        return stacks.stream().mapToLong(Stack::count).sum();
    }
}
