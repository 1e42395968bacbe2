package dev.quorate.loadtest.report.publish;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.commonmark.node.Image;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlWriter;

/**
 * Puts a drawing where the Markdown names its file. A flame graph does not become smaller than it
 * can be read: it is moved sideways instead. There are no pictures but drawings.
 */
final class PictureRenderer implements NodeRenderer {

    private final HtmlWriter html;
    private final Map<String, String> drawings;

    PictureRenderer(HtmlNodeRendererContext context, Map<String, String> drawings) {
        this.html = context.getWriter();
        this.drawings = drawings;
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
        return Set.of(Image.class);
    }

    @Override
    public void render(Node node) {
        String file = ((Image) node).getDestination();
        String drawing = drawings.get(file);
        if (drawing == null) {
            html.text("(" + file + ")");
        } else if (file.startsWith(ReportFiles.FLAMES)) {
            Map<String, String> attributes = new LinkedHashMap<>();
            attributes.put("class", "scroll");
            attributes.put("tabindex", "0");
            attributes.put("role", "group");
            attributes.put("aria-label", "Flame graph");
            html.tag("span", attributes);
            html.tag("span", Map.of("class", "wide"));
            html.raw(drawing);
            html.tag("/span");
            html.tag("/span");
        } else {
            html.tag("span", Map.of("class", "drawing"));
            html.raw(drawing);
            html.tag("/span");
        }
    }
}
