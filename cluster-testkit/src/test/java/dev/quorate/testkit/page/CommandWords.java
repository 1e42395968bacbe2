package dev.quorate.testkit.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command of Quorate's that a page names: in a block, in a table, or in a sentence.
 *
 * @param line of the page, from 1
 * @param words behind {@code ./quorate}, without brackets and ellipses
 * @param isCertain false for what stands behind a bar ({@code put KEY | get KEY}) or has no {@code
 *     ./quorate} before it: it is one only if its first word is a command
 */
public record CommandWords(int line, List<String> words, boolean isCertain) {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern QUORATE =
            Pattern.compile("(?:^|[ (])(?:\\./|/opt/quorate/)quorate ([a-z].*)");

    private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"");

    /** What ends a command: a comment, or the next command. */
    private static final Pattern END = Pattern.compile(" #|&&|\\|\\||;| [<>]|[)]( |$)|[0-9]*>&");

    public CommandWords {
        words = List.copyOf(words);
    }

    /** All that a page names. */
    public static List<CommandWords> of(Page page) {
        List<CommandWords> found = new ArrayList<>();
        boolean isInBlock = false;
        List<String> lines = page.text().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.strip().startsWith("```")) {
                isInBlock = !isInBlock;
            } else if (isInBlock) {
                addQuorate(i + 1, line.strip(), found);
            } else {
                for (Matcher code = CODE.matcher(line); code.find(); ) {
                    String text = code.group(1);
                    if (!addQuorate(i + 1, text, found) && text.contains(" --")) {
                        add(i + 1, text, false, found);
                    }
                }
            }
        }
        return found;
    }

    /** Whether there was one. */
    private static boolean addQuorate(int line, String text, List<CommandWords> found) {
        Matcher quorate = QUORATE.matcher(text);
        if (!quorate.find()) {
            return false;
        }
        String rest = quorate.group(1);
        Matcher end = END.matcher(rest);
        boolean hasEnd = end.find();
        String[] alternatives = (hasEnd ? rest.substring(0, end.start()) : rest).split(" \\| ", -1);
        for (int i = 0; i < alternatives.length; i++) {
            add(line, alternatives[i], i == 0, found);
        }
        if (hasEnd && !end.group().equals(" #")) {
            addQuorate(line, rest.substring(end.end()), found);
        }
        return true;
    }

    /** A quoted text is one word, whatever is in it. */
    private static String unquoted(String text) {
        return QUOTED.matcher(text).replaceAll("quoted").replaceAll("[\\[\\]…'\"\\\\]", "").strip();
    }

    private static void add(int line, String text, boolean isCertain, List<CommandWords> found) {
        List<String> words =
                Arrays.stream(unquoted(text).split("\\s+", -1))
                        .map(word -> word.replaceFirst("[,.:|]$", ""))
                        .filter(word -> !word.isEmpty())
                        .toList();
        if (!words.isEmpty()) {
            found.add(new CommandWords(line, words, isCertain));
        }
    }
}
