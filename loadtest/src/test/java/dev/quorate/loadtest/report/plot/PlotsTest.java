package dev.quorate.loadtest.report.plot;

import static dev.quorate.loadtest.report.Golden.assertGolden;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.loadtest.load.Spectrum;
import dev.quorate.loadtest.load.Spectrum.Point;
import dev.quorate.loadtest.report.BreakingPoint;
import dev.quorate.loadtest.report.BreakingPoint.Step;
import dev.quorate.loadtest.report.Run.Second;
import dev.quorate.loadtest.report.Samples;
import dev.quorate.loadtest.report.plot.SpectrumPlot.Series;
import dev.quorate.loadtest.report.svg.Xml;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class PlotsTest {

    private static final String TITLE = "GET <2/3> & \"more\"";
    private static final int MAX_BYTES = 15_000;
    private static final Pattern POINT = Pattern.compile("[ML](-?[\\d.]+) (-?[\\d.]+)");

    private static String spectrum(Spectrum... runs) {
        return SpectrumPlot.draw(
                "latency",
                TITLE,
                List.of(
                        new Series(TITLE, List.of(runs)),
                        new Series("static", List.of(Samples.spectrum(0.2, 1, 2, 5)))));
    }

    @Test
    void latencyByPercentile() throws IOException {
        assertGolden(
                "plot/latency.svg",
                spectrum(Samples.spectrum(1, 4, 8, 20), Samples.spectrum(1.5, 5, 9, 15)));
    }

    @Test
    void overTime() throws IOException {
        assertGolden(
                "plot/time.svg",
                OverTimePlot.draw("time", TITLE, Samples.run(10_000, 1).overTime()));
    }

    @Test
    void breakingPoint() throws IOException {
        assertGolden(
                "plot/breaking-point.svg",
                BreakingPointPlot.draw("breaking-point", TITLE, Samples.breakingPoint()));
    }

    /** A minute of 100,000 answers a second, each run with a long tail. */
    private static Spectrum large(int seed) {
        List<Point> points = new ArrayList<>();
        double share = 0;
        for (int i = 0; i < 240; i++) {
            points.add(
                    new Point(
                            0.1 * Math.exp(0.03 * i) + seed,
                            share,
                            (long) Math.ceil(share * 6_000_000)));
            share += (1 - share) / 10;
        }
        points.add(new Point(500, 1, 6_000_000));
        return new Spectrum(points, 1, 1, 500, 6_000_000);
    }

    private static List<Second> seconds(int count) {
        return IntStream.range(0, count)
                .mapToObj(
                        i ->
                                new Second(
                                        i,
                                        100_000 + i * 7919L % 10_000,
                                        1 + i % 3 / 10.0,
                                        5 + i % 7,
                                        20 + i * 31L % 100))
                .toList();
    }

    private static List<Step> steps(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Step(1_000 * i, 999.5 * i, Math.exp(i / 5.0), i < 20))
                .toList();
    }

    /** What may happen, and what should not. */
    static Stream<String> drawings() {
        return Stream.of(
                spectrum(),
                spectrum(new Spectrum(List.of(), 0, 0, 0, 0)),
                spectrum(new Spectrum(List.of(new Point(0, 1, 1)), 0, 0, 0, 1)),
                spectrum(new Spectrum(List.of(new Point(3, 0.5, 1)), 3, 0, 3, 1)),
                spectrum(
                        new Spectrum(
                                List.of(
                                        new Point(Double.NaN, Double.NaN, 1),
                                        new Point(Double.POSITIVE_INFINITY, 2, 1),
                                        new Point(-1, -1, 1)),
                                Double.NaN,
                                Double.NaN,
                                Double.NaN,
                                Long.MAX_VALUE)),
                spectrum(large(1), large(2), large(3)),
                SpectrumPlot.draw("latency", TITLE, List.of()),
                OverTimePlot.draw("time", TITLE, List.of()),
                OverTimePlot.draw("time", TITLE, List.of(new Second(0, 0, 0, 0, 0))),
                OverTimePlot.draw("time", TITLE, seconds(180)),
                OverTimePlot.draw("time", TITLE, seconds(3_601)),
                BreakingPointPlot.draw("point", TITLE, new BreakingPoint(0, 0, List.of())),
                BreakingPointPlot.draw(
                        "point", TITLE, new BreakingPoint(5, 1, List.of(new Step(0, 0, 0, false)))),
                BreakingPointPlot.draw("point", TITLE, new BreakingPoint(19_000, 50, steps(30))));
    }

    @ParameterizedTest
    @MethodSource("drawings")
    void everythingIsInsideOfTheDrawing(String svg) {
        Document document = Xml.parse(svg);
        String[] box = document.getDocumentElement().getAttribute("viewBox").split(" ", -1);
        double width = Double.parseDouble(box[2]);
        double height = Double.parseDouble(box[3]);
        assertThat(svg.getBytes(UTF_8).length).isLessThan(MAX_BYTES);
        for (Element path : Xml.elements(document, "path")) {
            for (MatchResult point : POINT.matcher(path.getAttribute("d")).results().toList()) {
                assertThat(Double.parseDouble(point.group(1))).isBetween(0.0, width);
                assertThat(Double.parseDouble(point.group(2))).isBetween(0.0, height);
            }
        }
        for (Element text : Xml.elements(document, "text")) {
            // A letter is a little more than half as wide as it is high, which is 14.
            double length = 8.0 * text.getTextContent().length();
            double x = Double.parseDouble(text.getAttribute("x"));
            double left =
                    switch (text.getAttribute("text-anchor")) {
                        case "end" -> x - length;
                        case "middle" -> x - length / 2;
                        default -> x;
                    };
            assertThat(left).as(text.getTextContent()).isBetween(0.0, width);
            assertThat(left + length).as(text.getTextContent()).isLessThanOrEqualTo(width);
            assertThat(Double.parseDouble(text.getAttribute("y"))).isBetween(10.0, height - 3);
        }
    }

    @ParameterizedTest
    @MethodSource("drawings")
    void numbersAreThoseOfNoCountry(String svg) {
        Locale before = Locale.getDefault();
        List<String> here = drawings().toList();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(drawings().toList()).isEqualTo(here).contains(svg);
        } finally {
            Locale.setDefault(before);
        }
    }

    /** Else a node that stands still would be the fastest. */
    @Test
    void aSecondWithoutAnAnswerHasNoLatency() {
        String svg =
                OverTimePlot.draw(
                        "time",
                        TITLE,
                        List.of(
                                new Second(0, 100, 1, 2, 3),
                                new Second(1, 100, 1, 2, 3),
                                new Second(2, 0, 0, 0, 0),
                                new Second(3, 100, 1, 2, 3)));
        List<Element> lines =
                Xml.elements(Xml.parse(svg), "path").stream()
                        .filter(path -> path.getAttribute("class").equals("b"))
                        .toList();
        // The first is the legend's.
        assertThat(lines).hasSize(3);
        assertThat(lines.get(1).getAttribute("d")).matches("M66 \\S+L171.3 \\S+");
        assertThat(lines.get(2).getAttribute("d")).matches("M381 \\S+L383 \\S+");
        assertThat(Xml.elements(Xml.parse(svg), "path"))
                .extracting(path -> path.getAttribute("d"))
                .as("throughput")
                .anyMatch(d -> d.matches("M66 \\S+L171.3 \\S+L276.7 122L382 \\S+"));
    }

    @Test
    void aLongRunIsDrawnWithFewerPoints() {
        assertThat(OverTimePlot.merge(seconds(5), 2))
                .containsExactly(
                        new Second(
                                0,
                                (seconds(5).get(0).answers() + seconds(5).get(1).answers()) / 2,
                                1.1,
                                6,
                                51),
                        new Second(
                                2,
                                (seconds(5).get(2).answers() + seconds(5).get(3).answers()) / 2,
                                1.2,
                                8,
                                113),
                        new Second(4, seconds(5).get(4).answers(), 1.1, 9, 44));
        assertThat(OverTimePlot.merge(seconds(5), 1)).isEqualTo(seconds(5));
    }

    @Test
    void aLegendIsNotLongerThanTheDrawing() {
        assertThat(Frame.shortened("x".repeat(45))).isEqualTo("x".repeat(43) + "…");
        assertThat(Frame.shortened("x".repeat(44))).isEqualTo("x".repeat(44));
    }
}
