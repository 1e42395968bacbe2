package dev.quorate.testkit.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fenced blocks of a page, in their order.
 *
 * @param note of the whole page: in the line after its title
 * @param text all of it
 */
public record Page(String text, Note note, List<Block> blocks) {

    private static final String FENCE = "```";

    public Page {
        blocks = List.copyOf(blocks);
    }

    /** Those that a runner of this page runs. */
    public List<Block> run() {
        return blocks.stream().filter(Block::isRun).toList();
    }

    /** Those of one section that a runner of this page runs. */
    public List<Block> run(String heading) {
        return run().stream().filter(block -> block.heading().equals(heading)).toList();
    }

    /**
     * Parses a page.
     *
     * @throws IllegalArgumentException if a block has no end, or a comment no block
     */
    public static Page parse(String text) {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = text.lines().toList();
        String heading = "";
        Note ofPage = new Note.None();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("#")) {
                heading = line.replaceFirst("^#+ *", "");
            }
            if (line.strip().startsWith(FENCE)) {
                Note note = i == 0 ? new Note.None() : note(lines.get(i - 1));
                Block block = block(lines, i, heading, note);
                int end = i + 1 + (int) block.text().lines().count();
                Optional<String> output = output(lines, end);
                blocks.add(new Block(heading, i + 1, block.language(), block.text(), output, note));
                i = output.isEmpty() ? end : end + 3 + (int) output.get().lines().count();
            } else if (Note.parse(line).isPresent()) {
                if (i == 1) {
                    ofPage = note(line);
                } else if (i + 1 == lines.size() || !isFence(lines.get(i + 1))) {
                    throw new IllegalArgumentException(
                            "line " + (i + 1) + " is a comment to no block: " + line);
                }
            }
        }
        return new Page(text, ofPage, blocks);
    }

    private static Note note(String line) {
        return Note.parse(line).orElse(new Note.None());
    }

    private static boolean isFence(String line) {
        return line.strip().startsWith(FENCE);
    }

    /** The block whose first fence is in the line at an index, without output. */
    private static Block block(List<String> lines, int at, String heading, Note note) {
        String fence = lines.get(at);
        int indent = fence.indexOf(FENCE);
        StringBuilder text = new StringBuilder();
        for (int i = at + 1; i < lines.size(); i++) {
            String line = lines.get(i);
            if (isFence(line)) {
                String language = fence.strip().substring(FENCE.length());
                return new Block(
                        heading, at + 1, language, text.toString(), Optional.empty(), note);
            }
            text.append(line.substring(Math.min(indent, line.length()))).append('\n');
        }
        throw new IllegalArgumentException("the block of line " + (at + 1) + " has no end");
    }

    /** The {@code text} block after a blank line after the fence at an index. */
    private static Optional<String> output(List<String> lines, int end) {
        int at = end + 2;
        return at < lines.size()
                        && lines.get(end + 1).isBlank()
                        && lines.get(at).strip().equals(FENCE + "text")
                ? Optional.of(block(lines, at, "", new Note.None()).text())
                : Optional.empty();
    }
}
