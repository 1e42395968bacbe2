package dev.quorate.loadtest.report.flame;

import dev.quorate.loadtest.report.svg.Svg;
import dev.quorate.loadtest.report.svg.Svg.Anchor;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A flame graph: each frame is as wide as its part of all that was seen, and stands on the one that
 * called it. Frames below a third of a percent are left out, and of the others all but the widest
 * 300, so that the drawing is small enough to be committed.
 */
public final class FlameGraph {

    static final int MAX_FRAMES = 300;
    static final int MAX_DEPTH = 70;

    private static final double MIN_SHARE = 0.0033;
    private static final int WIDTH = 1_000;
    private static final int ROW = 17;
    private static final int ABOVE = 30;
    private static final int FOOT = 6;
    private static final double LETTER_WIDTH = 7.2;
    private static final int MIN_LETTERS = 3;
    private static final int MAX_TITLE = 120;

    private static final Pattern JAVA =
            Pattern.compile("[\\w$./]+\\.[\\w$<>]+(\\[\\])*|\\w+(\\[\\])+");
    private static final Pattern PACKAGES = Pattern.compile("^(?:[\\w$]+/)+");
    private static final Pattern HIDDEN_CLASS = Pattern.compile("\\$\\$Lambda[./+]0x[0-9a-f]+");

    private static final String STYLE =
            """
            #id{font:11.5px system-ui,sans-serif}
            #id .back{fill:#fff}
            #id text{fill:#111}
            #id rect{stroke:#fff;stroke-width:.7}
            #id .own{fill:#8ec5ea}
            #id .java{fill:#b9dcae}
            #id .native{fill:#f3c583}
            #id .all{fill:#ddd}
            #id .key{font-size:13px}
            @media(prefers-color-scheme:dark){
            #id .back{fill:#16181c}
            #id text{fill:#f2f2f2}
            #id rect{stroke:#16181c}
            #id .own{fill:#1f5c88}
            #id .java{fill:#3b6431}
            #id .native{fill:#7d5412}
            #id .all{fill:#44474e}
            }
            """;

    private FlameGraph() {}

    /**
     * Draws.
     *
     * @param unit of the counts, such as "samples"
     */
    public static String draw(String id, String title, Stacks stacks, String unit) {
        long total = stacks.total();
        long least = (long) Math.ceil(total * MIN_SHARE);
        List<Tree.Box> boxes =
                new Tree(stacks)
                        .boxes(Math.max(1, least), MAX_DEPTH).stream().limit(MAX_FRAMES).toList();
        int depth = boxes.stream().mapToInt(Tree.Box::depth).max().orElse(0);
        int height = ABOVE + (depth + 1) * ROW + FOOT;
        Svg svg = new Svg(id, WIDTH, height, title, description(stacks, unit, boxes), STYLE);
        svg.rectangle("back", 0, 0, WIDTH, height);
        key(svg, "own", 8, "Quorate");
        key(svg, "java", 110, "other Java");
        key(svg, "native", 230, "native: JVM, C library, kernel");
        if (boxes.isEmpty()) {
            svg.text("", 8, ABOVE + 12.0, Anchor.START, "Nothing was seen.");
        }
        for (Tree.Box box : boxes) {
            draw(svg, box, total, height - FOOT, unit);
        }
        return svg.end();
    }

    private static void key(Svg svg, String kind, double x, String label) {
        svg.rectangle(kind, x, 8, 14, 14).text("key", x + 20, 20, Anchor.START, label);
    }

    private static void draw(Svg svg, Tree.Box box, long total, double bottom, String unit) {
        double x = WIDTH * (double) box.start() / total;
        double width = WIDTH * (double) box.count() / total;
        double y = bottom - (box.depth() + 1.0) * ROW;
        svg.beginGroup(
                String.format(
                        Locale.ROOT,
                        "%s: %.2f %%, %,d %s",
                        shortened(box.frame(), MAX_TITLE),
                        100.0 * box.count() / total,
                        box.count(),
                        unit));
        svg.rectangle(kind(box), x, y, width, ROW);
        int letters = (int) ((width - 4) / LETTER_WIDTH);
        if (letters >= MIN_LETTERS) {
            svg.text("", x + 2, y + 12.5, Anchor.START, shortened(label(box.frame()), letters));
        }
        svg.endGroup();
    }

    private static String kind(Tree.Box box) {
        if (box.depth() == 0) {
            return "all";
        }
        if (box.frame().replace('/', '.').startsWith("dev.quorate.")) {
            return "own";
        }
        return JAVA.matcher(box.frame()).matches() ? "java" : "native";
    }

    /** Without packages, and without the names that the JVM invents for lambdas. */
    static String label(String frame) {
        String plain = HIDDEN_CLASS.matcher(frame).replaceFirst("");
        return PACKAGES.matcher(plain).replaceFirst("");
    }

    private static String shortened(String text, int letters) {
        return text.length() <= letters ? text : text.substring(0, letters - 1) + "…";
    }

    private static String description(Stacks stacks, String unit, List<Tree.Box> boxes) {
        Optional<Tree.Box> widest =
                boxes.stream().filter(box -> kind(box).equals("own")).findFirst();
        String first = String.format(Locale.ROOT, "%,d %s in all.", stacks.total(), unit);
        return widest.map(
                        box ->
                                first
                                        + String.format(
                                                Locale.ROOT,
                                                " The widest frame of Quorate is %s with %.1f %%.",
                                                shortened(label(box.frame()), MAX_TITLE),
                                                100.0 * box.count() / stacks.total()))
                .orElse(first);
    }
}
