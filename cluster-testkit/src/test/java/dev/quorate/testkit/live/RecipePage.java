package dev.quorate.testkit.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The fenced blocks of a page: {@code bash} is run, all of them in one shell; {@code text} directly
 * after it is what it prints, where {@code ...} is anything within a line; {@code java} is a file.
 *
 * @param commands in their order
 * @param files texts by the name of the file
 */
record RecipePage(List<Commands> commands, Map<String, String> files) {

    /** A {@code bash} block and what it prints. */
    record Commands(String script, String output) {

        /** Matches the output, and nothing else. */
        Pattern expected() {
            return Pattern.compile(
                    Pattern.compile("\\.\\.\\.")
                            .splitAsStream(output)
                            .map(Pattern::quote)
                            .collect(Collectors.joining(".*")));
        }
    }

    private static final Pattern BLOCK =
            Pattern.compile("^```(bash|java)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", flags());

    private static final Pattern CLASS = Pattern.compile("^public final class (\\w+)", flags());

    private static int flags() {
        return Pattern.DOTALL | Pattern.MULTILINE;
    }

    static RecipePage parse(String page) {
        List<Commands> commands = new ArrayList<>();
        Map<String, String> files = new TreeMap<>();
        for (Matcher block = BLOCK.matcher(page); block.find(); ) {
            String text = block.group(2);
            String output = block.group(3);
            if (block.group(1).equals("bash")) {
                commands.add(new Commands(text, output == null ? "" : output));
            } else {
                Matcher name = CLASS.matcher(text);
                if (!name.find()) {
                    throw new IllegalArgumentException("A listing without a public class: " + text);
                }
                files.put(name.group(1) + ".java", text);
            }
        }
        return new RecipePage(commands, files);
    }

    /** One script of all commands, which prints the line between any two. */
    String script(String between) {
        return commands.stream()
                .map(Commands::script)
                .collect(Collectors.joining("echo '" + between + "'\n"));
    }
}
