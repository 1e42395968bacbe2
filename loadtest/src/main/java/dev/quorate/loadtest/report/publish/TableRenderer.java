package dev.quorate.loadtest.report.publish;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlWriter;

/** Puts each table into a box in which it is moved sideways where it is too wide for the page. */
final class TableRenderer implements NodeRenderer {

    private static final int LONG_NAME = 14;

    private final HtmlNodeRendererContext context;
    private final HtmlWriter html;
    private final IdentityHashMap<Heading, String> titles;

    /**
     * Renders tables.
     *
     * @param titles of headings: a table is called after the one above it
     */
    TableRenderer(HtmlNodeRendererContext context, IdentityHashMap<Heading, String> titles) {
        this.context = context;
        this.html = context.getWriter();
        this.titles = titles;
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
        return Set.of(TableBlock.class);
    }

    @Override
    public void render(Node table) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("class", "scroll");
        attributes.put("tabindex", "0");
        attributes.put("role", "group");
        attributes.put("aria-label", title(table));
        html.line();
        html.tag("div", attributes);
        html.tag("table", hasNames(table) ? Map.of("class", "names") : Map.of());
        for (Node child = table.getFirstChild(); child != null; child = child.getNext()) {
            context.render(child);
        }
        html.tag("/table");
        html.tag("/div");
        html.line();
    }

    /** Whether the first column has longer text, which has to have some width. */
    private static boolean hasNames(Node table) {
        int[] longest = {0};
        table.accept(
                new AbstractVisitor() {
                    @Override
                    public void visit(CustomNode node) {
                        if (!(node instanceof TableCell)) {
                            visitChildren(node);
                        } else if (node.getPrevious() == null) {
                            longest[0] = Math.max(longest[0], Headings.text(node).length());
                        }
                    }
                });
        return longest[0] > LONG_NAME;
    }

    private String title(Node table) {
        for (Node node = table.getPrevious(); node != null; node = node.getPrevious()) {
            if (node instanceof Heading heading) {
                return "Table: " + titles.getOrDefault(heading, "");
            }
        }
        return "Table";
    }
}
