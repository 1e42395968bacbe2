package dev.quorate.node.api.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AcceptTest {

    private static final String BYTES = "application/octet-stream";
    private static final String LINES = "application/x-ndjson";
    private static final String JSON = "application/json";

    private static String best(String header) {
        return Accept.best(header, BYTES, LINES, JSON);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // The type with the highest q-value.
                "application/json;q=0.5, application/x-ndjson;q=0.6 | application/x-ndjson",
                "application/json;q=0.6, application/x-ndjson;q=0.5 | application/json",
                "application/x-ndjson;q=0.001, application/json;q=0 | application/x-ndjson",
                "application/json;q=0.999, application/octet-stream | application/octet-stream",
                "application/json ; q=0.2 , */*;q=0.1 | application/json",
                "APPLICATION/JSON;Q=0.5 | application/json",
                "application/json;charset=utf-8;q=0.5, application/x-ndjson;q=0.7"
                        + " | application/x-ndjson",
                // Of equal ones the type that is named, then the first in the header.
                "application/json, */* | application/json",
                "application/json, text/plain, */* | application/json",
                "application/json, application/x-ndjson | application/json",
                "application/x-ndjson, application/json | application/x-ndjson",
                "application/*, application/json | application/json",
                // A wildcard includes the default.
                "*/* | application/octet-stream",
                "application/* | application/octet-stream",
                "text/html, */*;q=0.8 | application/octet-stream",
                "application/json;q=0.5, */* | application/octet-stream",
                "application/json;q=0.5, application/*;q=0.9 | application/octet-stream",
                // 0 excludes: the most specific range counts.
                "application/octet-stream;q=0, */* | application/x-ndjson",
                "application/octet-stream;q=0, application/x-ndjson;q=0, */* | application/json",
                "application/json;q=0, application/*;q=0.4 | application/octet-stream",
                "application/json;q=0 | application/octet-stream",
                "*/*;q=0 | application/octet-stream",
                "*/*;q=0, application/json | application/json",
                // What no node sends, or what is malformed, keeps the default.
                "text/html | application/octet-stream",
                "text/*, image/png | application/octet-stream",
                "application/js | application/octet-stream",
                "json | application/octet-stream",
                ",;,=;q=,/ | application/octet-stream",
                "application/json;q=x | application/json",
                "application/json;q=2 | application/json",
                "application/json;q=0.5000 | application/json",
            })
    void theClientChooses(String header, String type) {
        assertThat(best(header)).isEqualTo(type);
    }

    @Test
    void withoutTheHeaderTheFirstIsSent() {
        assertThat(Accept.best(null, "text/plain", JSON)).isEqualTo("text/plain");
        assertThat(best("")).isEqualTo(BYTES);
    }

    /** A stranger's header of thousands of types would occupy a selector. */
    @Test
    void theFirstTypesOfALongHeaderAreRead() {
        String type = "application/json;q=0.1,";
        assertThat(best(type.repeat(31) + LINES)).isEqualTo(LINES);
        assertThat(best(type.repeat(32) + LINES)).isEqualTo(JSON);
        assertThat(best(type.repeat(2_000) + LINES)).isEqualTo(JSON);
    }
}
