package dev.quorate.node.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonWriterTest {

    private final JsonWriter json = new JsonWriter(16);

    @Test
    void commasStandBetweenMembersAndElementsOnly() {
        json.beginObject()
                .field("a", "text")
                .field("b", -1L)
                .field("c", true)
                .beginArray("d")
                .beginObject()
                .endObject()
                .beginObject()
                .field("e", List.of("1", "2"))
                .field("f", List.of())
                .endObject()
                .endArray()
                .beginObject("g")
                .field("h", false)
                .endObject()
                .field("i", 2)
                .endObject();
        assertThat(json.toString())
                .isEqualTo(
                        "{\"a\":\"text\",\"b\":-1,\"c\":true,"
                                + "\"d\":[{},{\"e\":[\"1\",\"2\"],\"f\":[]}],"
                                + "\"g\":{\"h\":false},\"i\":2}");
    }

    @Test
    void microsecondsBecomeMillisecondsWithThreeDecimals() {
        json.beginObject()
                .millisField("none", 0)
                .millisField("some", 12_034)
                .millisField("one", 1)
                .endObject();
        assertThat(json.toString()).isEqualTo("{\"none\":0.000,\"some\":12.034,\"one\":0.001}");
    }

    @Test
    void textIsQuotedAndEscaped() {
        json.value("\"\\/\b\f\n\r\t\0\u001f\u2028 é \ud83d\ude00");
        assertThat(json.toString())
                .isEqualTo("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u2028 é \ud83d\ude00\"");
    }

    @Test
    void namesAreEscapedLikeTexts() {
        json.beginObject().field("\"", "x").endObject();
        assertThat(json.toString()).isEqualTo("{\"\\\"\":\"x\"}");
    }
}
