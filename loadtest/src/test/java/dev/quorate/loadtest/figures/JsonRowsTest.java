package dev.quorate.loadtest.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class JsonRowsTest {

    @Test
    void writesALineForEachRow() {
        List<Row> rows =
                List.of(
                        new Row("static", 123_456.789, "requests/s", null, null),
                        new Row("GET", 98_765.4, "requests/s", "static", 0.8));
        assertThat(JsonRows.write(rows))
                .isEqualTo(
                        """
                        [
                          {"name":"static","value":123456.789,"unit":"requests/s","reference":null,"ratio":null},
                          {"name":"GET","value":98765.400,"unit":"requests/s","reference":"static","ratio":0.800}
                        ]
                        """);
    }

    @Test
    void escapesWhatJsonDoesNotTakeAsItIs() {
        Row row = new Row("\"a\\b\"\n\u0001é", 0, "µs", null, null);
        assertThat(JsonRows.write(List.of(row)))
                .contains("\"name\":\"\\\"a\\\\b\\\"\\u000a\\u0001é\"")
                .contains("\"unit\":\"µs\"");
    }

    @Test
    void doesNotMindTheCountry() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(JsonRows.write(List.of(new Row("a", 1.5, "ms", null, null))))
                    .contains("\"value\":1.500");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void refusesWhatIsNoNumber() {
        for (double value : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> JsonRows.write(List.of(new Row("a", value, "ms", null, null))));
        }
    }
}
