package dev.quorate.loadtest.report.publish;

import java.util.List;
import java.util.Map;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Converts Markdown to a self-contained page: it includes the plots and has no scripts. HTML in the
 * Markdown is escaped.
 */
final class ReportHtml {

    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

    /** The line colors are similar to the palette of Okabe and Ito for all kinds of vision. */
    private static final String STYLE =
            """
            :root{color-scheme:light dark}
            body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:64rem;padding:1rem;background:#fff;color:#222}
            h2{margin-top:2.5rem;padding-top:.6rem;border-top:1px solid #ccc}
            p,li{max-width:46rem}
            a{color:#0060a0}
            table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
            th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
            .plot{display:block;max-width:34rem;font:12px system-ui,sans-serif;fill:#222}
            .grid{stroke:#ddd}
            .line0,.line1,.line2,.line3{fill:none;stroke:#0060a0;stroke-width:2}
            .line1{stroke:#b84a00;stroke-dasharray:7 3}
            .line2{stroke:#555;stroke-dasharray:2 3}
            @media(prefers-color-scheme:dark){
            body{background:#16181c;color:#ddd}
            a{color:#7cc4f5}
            h2,th,td{border-color:#3a3d44}
            .plot{fill:#ddd}
            .grid{stroke:#3a3d44}
            .line0{stroke:#62b8f0}
            .line1{stroke:#f0a030}
            .line2{stroke:#b8b8b8}
            }
            """;

    private ReportHtml() {}

    /**
     * @param title plain text
     * @param plots SVG by the name of the plot
     */
    static String write(String title, String markdown, Map<String, String> plots) {
        String body =
                HtmlRenderer.builder()
                        .escapeHtml(true)
                        .sanitizeUrls(true)
                        .extensions(EXTENSIONS)
                        .build()
                        .render(Parser.builder().extensions(EXTENSIONS).build().parse(markdown));
        for (Map.Entry<String, String> plot : plots.entrySet()) {
            body =
                    body.replace(
                            "<p>" + ReportMarkdown.plot(plot.getKey()) + "</p>", plot.getValue());
        }
        return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                + "<title>"
                + LinePlot.escape(title)
                + "</title>\n<style>\n"
                + STYLE
                + "</style>\n</head>\n<body>\n"
                + body
                + "</body>\n</html>\n";
    }
}
