package dev.quorate.loadtest.report.publish;

import static dev.quorate.loadtest.report.Golden.assertGolden;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.report.Report;
import dev.quorate.loadtest.report.Samples;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportJsonTest {

    private static final String FILE = "x/report.json";
    private static final String GOOD = ReportJson.write(ReportMarkdownTest.full());

    @Test
    void readsWhatItWrote() throws CommandException {
        Report report = ReportMarkdownTest.full();
        assertThat(ReportJson.read(FILE, ReportJson.write(report))).isEqualTo(report);
        Report empty = Samples.report(List.of());
        assertThat(ReportJson.read(FILE, ReportJson.write(empty))).isEqualTo(empty);
    }

    /** Whoever changes this file changes the format number too. */
    @Test
    void isWrittenAsInTheFirstFormat() throws IOException {
        assertGolden("publish/report-1.json", GOOD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "1",
                "{}",
                "{\"format\":1",
                "{\"format\":1}",
                "{\"format\":1} x",
                "{'format':1}",
                "{\"format\":[1]}",
                "{\"format\":1,\"report\":null}",
                "{\"format\":1,\"report\":[]}",
                "{\"format\":1,\"report\":{}}",
                "{\"format\":1,\"report\":{\"title\":{}}}",
                "{\"format\":1,\"report\":{\"title\":\"a\",\"begun\":\"yesterday\"}}",
                "<html>",
                "\u0000\u0000"
            })
    void garbageIsNoReport(String text) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportJson.read(FILE, text))
                .withMessageMatching("x/report.json is no report: [^\n]+\\.");
    }

    @Test
    void whatIsNestedDeeplyIsNoReport() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportJson.read(FILE, deep));
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () ->
                                ReportJson.read(
                                        FILE,
                                        "{\"format\":1,\"report\":{\"title\":" + deep + "}}"));
    }

    @ParameterizedTest
    @CsvSource({"2", "0", "1.0", "true", "\"one\"", "12345678901234567890"})
    void anotherFormatIsNotGuessedAt(String format) {
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(
                        () -> ReportJson.read(FILE, "{\"format\":" + format + ",\"report\":{}}"))
                .withMessage(
                        "x/report.json has format "
                                + format.replace("\"", "")
                                + ", and only format 1 can be read.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"title\":\"Load report\", | '' | a Report lacks 'title'",
                "\"errors\":0 | \"x\":0 | a Run lacks 'errors'",
                "\"nodes\":3 | \"nodes\":0 | nodes must be at least 1, but is 0",
                "\"name\":\"put\" | \"name\":\"../put\" | '../put' is no name of a scenario, which is 1 to 100 lower-case letters, digits and hyphens",
                "\"name\":\"put\" | \"name\":\"get\" | two scenarios are named 'get'",
                "\"achievedPerSecond\":9980.0 | \"achievedPerSecond\":-1 | achievedPerSecond is no figure: -1.0",
                "\"kind\":\"CPU\" | \"kind\":\"GPU\" | a ProfiledRun lacks 'kind'",
                "\"SOCKETS\":600 | \"SOKETS\":600 | a ProfiledRun cannot be made of what is there",
                "2026-11-22T18:40:00Z | today | 'today' is not what is expected there",
                "\"missing\":[ | \"missing\":[null, | a Report cannot be made of what is there"
            })
    void anIncompleteReportIsRefused(String part, String instead, String reason) {
        assertThat(GOOD).contains(part);
        assertThatExceptionOfType(CommandException.class)
                .isThrownBy(() -> ReportJson.read(FILE, GOOD.replace(part, instead)))
                .withMessage("x/report.json is no report: " + reason + ".");
    }

    @Test
    void halfAReportIsNone() {
        for (int length = 0; length < GOOD.length() - 2; length += 37) {
            String half = GOOD.substring(0, length);
            assertThatExceptionOfType(CommandException.class)
                    .isThrownBy(() -> ReportJson.read(FILE, half));
        }
    }

    /** Whatever is in the file, there is either a report or one sentence. */
    @RepeatedTest(10)
    void whatWasDamagedIsReadOrRefused() {
        long seed = Long.getLong("quorate.seed", System.nanoTime());
        System.out.println("ReportJsonTest: -Dquorate.seed=" + seed);
        RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
        int refused = 0;
        for (int i = 0; i < 200; i++) {
            StringBuilder damaged = new StringBuilder(GOOD);
            char symbol = "{}[]\",:0-1enul".charAt(random.nextInt(14));
            damaged.setCharAt(random.nextInt(GOOD.length()), symbol);
            try {
                assertThat(ReportJson.read(FILE, damaged.toString()).title()).isNotNull();
            } catch (CommandException e) {
                refused++;
                assertThat(e).hasMessageMatching("x/report.json (is no report: |has format ).+\\.");
            }
        }
        assertThat(refused).isPositive();
    }
}
