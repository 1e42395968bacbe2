package dev.quorate.node.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.quorate.router.Seed;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Bytes as texts of JSON, where they are texts. */
final class JsonTextTest {

    private static final JsonText.Name NAME = new JsonText.Name("v");

    /** Checks the member for these bytes; whether it was a text. */
    private static boolean isText(byte[] bytes) {
        byte[] escaped = JsonText.escaped(bytes);
        byte[] before = NAME.before(escaped);
        byte[] value = JsonText.value(escaped, bytes);
        assertThat((long) before.length + value.length).isEqualTo(NAME.bytes(bytes));
        assertThat((long) value.length).isLessThanOrEqualTo(JsonText.base64Length(bytes.length));
        String member = new String(before, StandardCharsets.UTF_8);
        String json = "{" + member + new String(value, StandardCharsets.UTF_8) + "\"}";
        var object = JsonParser.parseString(json).getAsJsonObject();
        boolean isText = object.has("v");
        byte[] read =
                isText
                        ? object.get("v").getAsString().getBytes(StandardCharsets.UTF_8)
                        : Base64.getDecoder().decode(object.get("vBase64").getAsString());
        assertThat(read).isEqualTo(bytes);
        return isText;
    }

    private static boolean isText(String text) {
        return isText(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsUtf8IsAText() {
        assertThat(isText("")).isTrue();
        assertThat(isText("plain, \"quoted\" and \\ lines\r\n\t")).isTrue();
        assertThat(isText("é €  \uFFFF \uD83D\uDE00 \u007F")).isTrue();
        assertThat(isText("one \u0001 among many visible characters")).isTrue();
    }

    @Test
    void whatIsNotOrWouldGrowIsBase64() {
        assertThat(isText(new byte[] {(byte) 0xFF})).isFalse();
        assertThat(isText(new byte[100])).isFalse();
        assertThat(isText("\"\"\"\"\"\"\"\"\"")).isFalse();
        // Half of a pair; longer than needed; above the last character; cut off.
        assertThat(isText(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80})).isFalse();
        assertThat(isText(new byte[] {(byte) 0xC0, (byte) 0x80})).isFalse();
        assertThat(isText(new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80}))
                .isFalse();
        assertThat(isText(new byte[] {'a', (byte) 0xE2, (byte) 0x82})).isFalse();
    }

    /** Whatever the JDK's decoder takes is a text, unless it would grow. */
    @Test
    void randomBytesAreWhatTheyAreForTheDecoder() {
        RandomGenerator random = Seed.random("JsonTextTest");
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[4 + random.nextInt(3)];
            random.nextBytes(bytes);
            bytes[0] = (byte) (0xC0 | bytes[0]); // The first of several, mostly.
            assertThat(isTextOrGrows(bytes)).isEqualTo(isUtf8(bytes) && !grows(bytes));
        }
    }

    private static boolean isTextOrGrows(byte[] bytes) {
        return JsonText.escaped(bytes) != null;
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .hasRemaining();
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static boolean grows(byte[] bytes) {
        int length = 0;
        for (byte b : bytes) {
            boolean isShort = b == '"' || b == '\\' || b == '\n' || b == '\r' || b == '\t';
            length += isShort ? 2 : b >= 0 && b < 0x20 ? 6 : 1;
        }
        return length > JsonText.base64Length(bytes.length);
    }
}
