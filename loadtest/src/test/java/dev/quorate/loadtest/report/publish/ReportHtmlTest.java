package dev.quorate.loadtest.report.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Samples;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReportHtmlTest {

    private static final Pattern ID = Pattern.compile(" id=\"([^\"]*)\"");
    private static final Pattern LINK = Pattern.compile(" href=\"#([^\"]*)\"");

    private static String page(Report report) {
        return ReportHtml.write(ReportMarkdown.write(report), Drawings.of(report));
    }

    private static List<String> all(Pattern pattern, String html) {
        return pattern.matcher(html).results().map((MatchResult each) -> each.group(1)).toList();
    }

    @Test
    void isAPageOfItsOwn() {
        String html = page(ReportMarkdownTest.full());
        assertThat(html)
                .startsWith("<!doctype html>\n<html lang=\"en\">")
                .contains("<meta charset=\"utf-8\">")
                .contains("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
                .contains("<title>Load report</title>")
                .contains("<nav aria-label=\"Contents\">")
                .contains("<li><a href=\"#get-23-three-nodes\">GET 2/3, three nodes</a></li>")
                .contains("prefers-color-scheme:dark")
                .doesNotContain("<script", "<link", "<img", "@import", "url(");
    }

    @Test
    void everyLinkLeadsToOnePlace() {
        String html = page(ReportMarkdownTest.full());
        List<String> ids = all(ID, html);
        assertThat(ids).doesNotHaveDuplicates().contains("plots-get-latency", "plots-get-time");
        assertThat(ids).containsAll(all(LINK, html));
        assertThat(all(LINK, html)).contains("what-is-missing", "put-23--bboldb");
    }

    @Test
    void aDrawingStandsWhereItsFileIsNamed() {
        Report report = Samples.report(List.of(Samples.get()));
        String html = page(report);
        Map<String, String> drawings = Drawings.of(report);
        assertThat(drawings.keySet())
                .containsExactly(
                        "plots/get-breaking-point.svg",
                        "plots/get-latency.svg",
                        "plots/get-time.svg");
        drawings.values().forEach(drawing -> assertThat(html).containsOnlyOnce(drawing));
    }

    @Test
    void aFlameGraphIsMovedSideways() {
        assertThat(ReportHtml.write("![a](flames/x.svg)", Map.of("flames/x.svg", "<svg>x</svg>")))
                .contains(
                        "<span class=\"scroll\" tabindex=\"0\" role=\"group\""
                                + " aria-label=\"Flame graph\"><span class=\"wide\"><svg>x</svg></span></span>");
    }

    @Test
    void theNameOfAScenarioIsOnlyText() {
        String html =
                page(
                        Samples.report(
                                List.of(
                                        Samples.renamed(
                                                Samples.get(),
                                                "get",
                                                "<script>alert(1)</script> & \"x\" onload=y",
                                                null))));
        assertThat(html)
                .doesNotContain("<script", "\"x\" onload")
                .contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; onload=y");
    }

    @Test
    void htmlAndPicturesFromElsewhereAreOnlyText() {
        String html =
                ReportHtml.write(
                        """
                        # t <b>

                        <div onclick=x>

                        ![a](http://example.com/x.png)

                        [l](javascript:alert(1))
                        """,
                        Map.of());
        assertThat(html)
                .doesNotContain("<div onclick", "<b>", "<img", "javascript:")
                .contains("&lt;div onclick=x&gt;");
    }

    @Test
    void tablesAreMovedSidewaysByThemselves() {
        String html =
                ReportHtml.write("# t\n\n## A & b\n\n| x | y |\n|---|---:|\n| 1 | 2 |\n", Map.of());
        assertThat(html)
                .contains(
                        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table: A"
                                + " &amp; b\"><table>")
                .contains("<td align=\"right\">2</td>");
    }

    @Test
    void theSecondHeadingOfANameHasANumber() {
        Headings headings = new Headings();
        assertThat(headings.next("Runs")).isEqualTo("runs");
        assertThat(headings.next("Runs")).isEqualTo("runs-1");
        assertThat(headings.next("Runs")).isEqualTo("runs-2");
        assertThat(Headings.slug("PUT 2/3, three-nodes (p99.9)_x Ünï"))
                .isEqualTo("put-23-three-nodes-p999_x-ünï");
    }
}
