package dev.quorate.loadtest.report.flame;

import static dev.quorate.loadtest.report.Golden.assertGolden;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.report.svg.Xml;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class FlameGraphTest {

    private static final List<String> LINES =
            List.of(
                    "java/lang/Thread.run;dev/quorate/node/http/HttpListener.run;__send 600",
                    "java/lang/Thread.run;dev/quorate/node/http/HttpListener.run;java/util/Map.of 97",
                    "java/lang/Thread.run;dev/quorate/node/http/Rare.run 3",
                    "start_thread;void G1<int>::run() & more 300");

    private static String draw(List<String> lines) throws CommandException {
        return FlameGraph.draw(
                "flame", "processor time of <n1>", Stacks.parse("a", lines), "samples");
    }

    private static List<String> titles(String svg) {
        List<String> titles = new ArrayList<>();
        for (Element title : Xml.elements(Xml.parse(svg), "title")) {
            titles.add(title.getTextContent());
        }
        return titles.subList(1, titles.size());
    }

    @Test
    void everyFrameStandsOnTheOneThatCalledIt() throws IOException, CommandException {
        assertGolden("plot/flame.svg", draw(LINES));
    }

    @Test
    void framesBelowAThirdOfAPercentAreLeftOut() throws CommandException {
        assertThat(titles(draw(LINES)))
                .containsExactly(
                        "all: 100.00 %, 1,000 samples",
                        "java/lang/Thread.run: 70.00 %, 700 samples",
                        "dev/quorate/node/http/HttpListener.run: 69.70 %, 697 samples",
                        "__send: 60.00 %, 600 samples",
                        "start_thread: 30.00 %, 300 samples",
                        "void G1<int>::run() & more: 30.00 %, 300 samples",
                        "java/util/Map.of: 9.70 %, 97 samples");
    }

    @Test
    void theOrderOfTheLinesIsIrrelevant() throws CommandException {
        assertThat(draw(LINES.reversed())).isEqualTo(draw(LINES));
    }

    @Test
    void noFiguresYieldNoDrawing() throws CommandException {
        assertThat(draw(List.of())).contains("Nothing was seen.");
        assertThat(titles(draw(List.of("a;b 0")))).isEmpty();
    }

    /** Tens of thousands of frames, some of them very deep and with very long names. */
    private static List<String> large() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            StringBuilder line = new StringBuilder("java/lang/Thread.run");
            for (int depth = 0; depth < 40 + i; depth++) {
                line.append(";dev/quorate/node/coordinator/")
                        .append("Operation".repeat(1 + i % 20));
                line.append(depth < i / 3 ? 0 : i).append(".step").append(depth);
            }
            lines.add(line.append(' ').append(1_000_000_000L + i).toString());
        }
        return lines;
    }

    @Test
    void isSmallEnoughToBeCommitted() throws CommandException {
        String svg = draw(large());
        assertThat(svg.getBytes(UTF_8).length).isBetween(20_000, 90_000);
        assertThat(titles(svg)).hasSize(FlameGraph.MAX_FRAMES);
    }

    @Test
    void everyFrameIsInsideOfTheDrawingAndAboveItsCaller() throws CommandException {
        for (List<String> lines : List.of(LINES, large())) {
            Document document = Xml.parse(draw(lines));
            String[] box = document.getDocumentElement().getAttribute("viewBox").split(" ", -1);
            double height = Double.parseDouble(box[3]);
            for (Element frame : Xml.elements(document, "rect")) {
                double x = number(frame, "x");
                double y = number(frame, "y");
                assertThat(x).isBetween(0.0, 1_000.0);
                assertThat(x + number(frame, "width")).isLessThanOrEqualTo(1_000.1);
                assertThat(y).isBetween(0.0, height);
                assertThat(y + number(frame, "height")).isLessThanOrEqualTo(height);
            }
        }
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }

    @ParameterizedTest
    @CsvSource({
        "dev/quorate/node/http/HttpListener.run, own",
        "java/lang/Thread.run, java",
        "java/lang/invoke/LambdaForm$DMH.0x00aa.<init>, java",
        "byte[], java",
        "java.lang.String[], java",
        "__send, native",
        "Parker::park, native",
        "I2C/C2I adapters(0xb), native",
        "[libc.so.6], native"
    })
    void aFrameHasTheColourOfItsKind(String frame, String kind) throws CommandException {
        assertThat(draw(List.of(frame + " 1")))
                .containsOnlyOnce(": 100.00 %, 1 samples</title><rect class=\"" + kind + "\"");
    }

    @ParameterizedTest
    @CsvSource({
        "dev/quorate/node/http/HttpListener.run, HttpListener.run",
        "dev/quorate/node/A$$Lambda.0x00007f01.accept, A.accept",
        "dev/quorate/node/A$$Lambda/0x0000.accept, A.accept",
        "java/lang/invoke/LambdaForm$DMH.0x00aa.invoke, LambdaForm$DMH.0x00aa.invoke",
        "G1<int>::run, G1<int>::run",
        "__send, __send",
        "[kworker/0:1], [kworker/0:1]"
    })
    void aFrameIsLabelledWithoutItsPackage(String frame, String label) {
        assertThat(FlameGraph.label(frame)).isEqualTo(label);
    }
}
