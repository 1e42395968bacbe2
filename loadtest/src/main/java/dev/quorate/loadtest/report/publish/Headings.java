package dev.quorate.loadtest.report.publish;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Node;
import org.commonmark.node.Text;

/**
 * How links name headings: as the sites that show Markdown do, so that the same links lead to the
 * same places there and in our HTML.
 */
final class Headings {

    private final Map<String, Integer> seen = new HashMap<>();

    /**
     * The name of a heading: letters, digits, hyphens and low lines stay, blanks become hyphens.
     */
    static String slug(String heading) {
        StringBuilder slug = new StringBuilder();
        heading.toLowerCase(Locale.ROOT)
                .codePoints()
                .forEach(
                        c -> {
                            if (Character.isLetterOrDigit(c) || c == '-' || c == '_') {
                                slug.appendCodePoint(c);
                            } else if (c == ' ') {
                                slug.append('-');
                            }
                        });
        return slug.toString();
    }

    /** The name of the next heading, with a number behind it from the second of the same on. */
    String next(String heading) {
        String slug = slug(heading);
        int before = seen.merge(slug, 1, Integer::sum) - 1;
        return before == 0 ? slug : slug + "-" + before;
    }

    /** What a reader sees of a node. */
    static String text(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(
                new AbstractVisitor() {
                    @Override
                    public void visit(Text part) {
                        text.append(part.getLiteral());
                    }

                    @Override
                    public void visit(Code part) {
                        text.append(part.getLiteral());
                    }
                });
        return text.toString();
    }
}
