package dev.quorate.loadtest.report.svg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.report.svg.Svg.Anchor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class SvgTest {

    private static final String NASTY = "</text><script>alert(\"1\" & '2')</script>\u0000\uD800";

    private static Svg svg() {
        return new Svg("id-1", 10, 20, "a title", "a description", "#id .a{fill:red}");
    }

    @Test
    void hasAViewBoxATitleADescriptionAndItsOwnStyle() {
        assertThat(svg().end())
                .isEqualTo(
                        """
                        <svg xmlns="http://www.w3.org/2000/svg" id="id-1" viewBox="0 0 10 20" role="img" aria-labelledby="id-1-title id-1-desc">
                        <title id="id-1-title">a title</title>
                        <desc id="id-1-desc">a description</desc>
                        <style>
                        #id-1 .a{fill:red}
                        </style>
                        </svg>
                        """);
    }

    @Test
    void writesElements() {
        String text =
                svg().path("a", new double[] {0, 1.25, 2}, new double[] {-0.01, 3, 4.96})
                        .line("b", 1, 2, 3, 4)
                        .rectangle("c", 1, 2, 3, 4.04)
                        .circle("d", 1, 2, 3)
                        .beginGroup("e")
                        .text("f", 1, 2, Anchor.START, "x")
                        .text("f", 1, 2, Anchor.MIDDLE, "y")
                        .text("f", 1, 2, Anchor.END, "z")
                        .endGroup()
                        .end();
        assertThat(text)
                .endsWith(
                        """
                        <path class="a" d="M0 0L1.3 3L2 5"/>
                        <path class="b" d="M1 2L3 4"/>
                        <rect class="c" x="1" y="2" width="3" height="4"/>
                        <circle class="d" cx="1" cy="2" r="3"/>
                        <g><title>e</title><text class="f" x="1" y="2">x</text>
                        <text class="f" x="1" y="2" text-anchor="middle">y</text>
                        <text class="f" x="1" y="2" text-anchor="end">z</text>
                        </g>
                        </svg>
                        """);
        assertThat(Xml.parse(text).getDocumentElement().getNodeName()).isEqualTo("svg");
    }

    @Test
    void textDoesNotBecomeMarkup() {
        String text =
                new Svg("x", 1, 1, NASTY, NASTY, "")
                        .beginGroup(NASTY)
                        .text(NASTY, 0, 0, Anchor.START, NASTY)
                        .endGroup()
                        .end();
        Document document = Xml.parse(text);
        assertThat(Xml.elements(document, "script")).isEmpty();
        String shown = NASTY.replace('\u0000', '\uFFFD').replace('\uD800', '\uFFFD');
        Element written = Xml.elements(document, "text").getFirst();
        assertThat(written.getTextContent()).isEqualTo(shown);
        assertThat(written.getAttribute("class")).isEqualTo(shown);
        assertThat(Xml.elements(document, "title"))
                .extracting(Element::getTextContent)
                .containsExactly(shown, shown);
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void aCoordinateIsANumber(double value) {
        assertThatIllegalArgumentException().isThrownBy(() -> svg().circle("a", 1, value, 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "A", "a b", "a\"", "a.b", "-"})
    void refusesWhatIsNoId(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Svg(id, 1, 1, "", "", ""))
                .withMessageContaining("no id");
    }

    @ParameterizedTest
    @CsvSource({
        "plots/get-latency, plots-get-latency",
        "2/3, d2-3",
        "'', d",
        "Ünder, d-nder",
        "a..b, a-b"
    })
    void makesAnIdOfAnyName(String name, String id) {
        assertThat(Svg.id(name)).isEqualTo(id);
        assertThat(new Svg(Svg.id(name), 1, 1, "", "", "").end()).contains("id=\"" + id + "\"");
    }
}
