package dev.quorate.loadtest.report.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.text.TextContentRenderer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownTest {

    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
    private static final String SYMBOLS = "\\`*_{}[]()<>#+-.!|&;:~=\"'/ab12 \t";

    private static String shown(String markdown) {
        return TextContentRenderer.builder()
                .extensions(EXTENSIONS)
                .build()
                .render(Parser.builder().extensions(EXTENSIONS).build().parse(markdown));
    }

    private static void assertOnlyText(String name) {
        String text = name.strip().replace('\t', ' ');
        assertThat(shown(Markdown.escape(name))).isEqualTo(text);
        assertThat(shown("x " + Markdown.escape(name) + " y")).isEqualTo(("x " + text + " y"));
        String table =
                new Markdown()
                        .table(1, List.of(List.of("a"), List.of(Markdown.escape(name))))
                        .end();
        assertThat(shown(table)).contains(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "**PUT** _2/3_ `x`",
                "a | b",
                "[x](javascript:alert(1))",
                "![x](http://example.com/x.png)",
                "# heading",
                "- item",
                "+ item",
                "12. item",
                "1) item",
                "=== ",
                "&lt; &#35;",
                "\\",
                "~~x~~",
                "    code",
                "x\\"
            })
    void aNameIsOnlyText(String name) {
        assertOnlyText(name);
    }

    @RepeatedTest(20)
    void anyNameIsOnlyText() {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("MarkdownTest: -Dquorate.seed=" + seed);
        RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
        for (int i = 0; i < 200; i++) {
            StringBuilder name = new StringBuilder("");
            int length = random.nextInt(1, 12);
            while (name.toString().strip().length() < length) {
                name.append(SYMBOLS.charAt(random.nextInt(SYMBOLS.length())));
            }
            assertOnlyText(name.toString());
        }
    }

    @Test
    void aLineBreakDoesNotEndALine() {
        assertThat(Markdown.escape("a\n# b\r\u0000c")).isEqualTo("a \\# b  c");
    }

    @Test
    void aTableHasNumbersAtTheRight() {
        assertThat(
                        new Markdown()
                                .heading(2, "a *b*")
                                .table(1, List.of(List.of("x", "y"), List.of("1", "2")))
                                .list(List.of("one", "two"))
                                .picture("what | it is", "plots/x.svg")
                                .end())
                .isEqualTo(
                        """
                        ## a \\*b\\*

                        | x | y |
                        |---|---:|
                        | 1 | 2 |

                        - one
                        - two

                        ![what \\| it is](plots/x.svg)
                        """);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Markdown().table(1, List.of(List.of("x"), List.of())));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.00",
        "0.0004, 0.000",
        "0.004, 0.004",
        "0.01, 0.01",
        "1.234, 1.23",
        "9.999, 10.00",
        "12.34, 12.3",
        "123.4, 123",
        "12345.6, '12,346'"
    })
    void millisecondsHaveThreeDigitsThatCount(double millis, String text) {
        assertThat(Markdown.millis(millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0.0", "99.94, 99.9", "1234.5, '1,235'", "100, 100"})
    void ratesAreWhole(double rate, String text) {
        assertThat(Markdown.rate(rate)).isEqualTo(text);
    }

    @Test
    void oneIsNotMany() {
        assertThat(Markdown.plural(1, "node")).isEqualTo("1 node");
        assertThat(Markdown.plural(0, "node")).isEqualTo("0 nodes");
        assertThat(Markdown.plural(1_000, "node")).isEqualTo("1,000 nodes");
        assertThat(Markdown.percent(1, 3)).isEqualTo("33.3");
        assertThat(Markdown.percent(0, 3)).isEmpty();
    }
}
