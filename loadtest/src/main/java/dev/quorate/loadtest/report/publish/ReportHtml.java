package dev.quorate.loadtest.report.publish;

import dev.quorate.loadtest.report.svg.Svg;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Markdown as a page that needs nothing else: the drawings are in it, and there is no script. HTML
 * in the Markdown is text. Headings have the names by which the Markdown's links call them.
 */
final class ReportHtml {

    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

    private static final String STYLE =
            """
            :root{color-scheme:light dark}
            body{font:16px/1.55 system-ui,sans-serif;margin:0;background:#fff;color:#222}
            main{max-width:62rem;margin:0 auto;padding:1rem}
            h1,h2,h3{line-height:1.25;text-wrap:balance}
            h1{font-size:1.7rem}
            h2{font-size:1.35rem;margin-top:2.8rem;padding-top:.6rem;border-top:1px solid #ccc}
            h3{font-size:1.1rem;margin-top:1.8rem}
            p,li{max-width:46rem}
            p:has(.wide){max-width:none}
            a{color:#0060a0}
            nav{margin:1.5rem 0}
            nav p{margin:0;font-weight:600}
            nav ul{margin:.3rem 0;padding-left:1.2rem;columns:17rem}
            .scroll{display:block;overflow-x:auto}
            .drawing{display:block;max-width:31rem}
            .wide{display:block;min-width:56rem}
            svg{display:block;width:100%;height:auto}
            table{border-collapse:collapse;font-size:.94rem;font-variant-numeric:tabular-nums}
            th,td{padding:.3rem .7rem;border-bottom:1px solid #ddd;vertical-align:top}
            th{vertical-align:bottom}
            th:not([align]){text-align:left}
            td[align]{white-space:nowrap}
            th:first-child,td:first-child{position:sticky;left:0;background:#fff}
            .names td:first-child{min-width:7.5rem}
            code{font-size:.92em}
            @media(prefers-color-scheme:dark){
            body,th:first-child,td:first-child{background:#16181c;color:#ddd}
            a{color:#7cc4f5}
            h2{border-color:#444}
            th,td{border-color:#3a3d44}
            }
            """;

    private final Map<String, String> drawings;
    private final Headings names = new Headings();
    private final IdentityHashMap<Heading, String> ids = new IdentityHashMap<>();
    private final IdentityHashMap<Heading, String> titles = new IdentityHashMap<>();

    private ReportHtml(Map<String, String> drawings) {
        this.drawings = new HashMap<>(drawings);
    }

    /**
     * Writes a page.
     *
     * @param markdown whose first heading is its title
     * @param drawings SVG by the name of the file; other pictures stay what they are
     */
    static String write(String markdown, Map<String, String> drawings) {
        return new ReportHtml(drawings).write(markdown);
    }

    private String write(String markdown) {
        Node document = Parser.builder().extensions(EXTENSIONS).build().parse(markdown);
        StringBuilder contents = new StringBuilder();
        String title = "";
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                String text = Headings.text(heading);
                String id = names.next(text);
                ids.put(heading, id);
                titles.put(heading, text);
                if (heading.getLevel() == 1) {
                    title = text;
                } else if (heading.getLevel() == 2) {
                    contents.append("<li><a href=\"#")
                            .append(Svg.escape(id))
                            .append("\">")
                            .append(Svg.escape(text))
                            .append("</a></li>\n");
                }
            }
        }
        return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                + "<title>"
                + Svg.escape(title)
                + "</title>\n<style>\n"
                + STYLE
                + "</style>\n</head>\n<body>\n<main>\n"
                + body(document, navigation(contents))
                + "</main>\n</body>\n</html>\n";
    }

    private static String navigation(CharSequence contents) {
        return "<nav aria-label=\"Contents\">\n<p>Contents</p>\n<ul>\n"
                + contents
                + "</ul>\n</nav>\n";
    }

    /** The contents stand before the first section, behind the summary. */
    private String body(Node document, String contents) {
        HtmlRenderer renderer =
                HtmlRenderer.builder()
                        .escapeHtml(true)
                        .sanitizeUrls(true)
                        // Before the extension, whose renderer would be the first otherwise.
                        .nodeRendererFactory(context -> new PictureRenderer(context, drawings))
                        .nodeRendererFactory(context -> new TableRenderer(context, titles))
                        .extensions(EXTENSIONS)
                        .attributeProviderFactory(
                                context ->
                                        (node, tag, attributes) -> {
                                            if (node instanceof Heading heading) {
                                                attributes.put("id", ids.get(heading));
                                            }
                                        })
                        .build();
        StringBuilder body = new StringBuilder(1 << 16);
        boolean sections = false;
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (!sections && node instanceof Heading heading && heading.getLevel() == 2) {
                sections = true;
                body.append(contents);
            }
            body.append(renderer.render(node));
        }
        return body.toString();
    }
}
