package dev.quorate.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.node.api.request.RequestReader;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.KeyOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cursor is taken for the query that it was given to, and as it was given. */
final class RangeCursorTest {

    private static final QuorumSpec TWO = new QuorumSpec(2, 3);

    private final RangeCursor cursors =
            new RangeCursor(bytes("a"), bytes("b"), KeyOrder.ASCENDING, TWO, false);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void itIsTheLastKey() {
        byte[] longest = new byte[RequestReader.MAX_KEY_BYTES];
        Arrays.fill(longest, (byte) 0xFF);
        for (byte[] key : List.of(bytes("a"), bytes("key"), new byte[1], longest)) {
            String cursor = cursors.after(key);
            assertThat(cursor).matches("[A-Za-z0-9_-]+");
            assertThat(cursor.length()).isLessThan((int) EntityFormat.MAX_END_BYTES - 100);
            assertThat(cursors.key(cursor)).isEqualTo(key);
        }
        // What nodes of one version give, those of the next must take.
        assertThat(cursors.after(bytes("key"))).isEqualTo("ATHyMgmvCXKza2V5");
    }

    @Test
    void itIsOfOneQuery() {
        String cursor = cursors.after(bytes("key"));
        assertThat(
                        List.of(
                                new RangeCursor(
                                        bytes("a"), bytes("c"), KeyOrder.ASCENDING, TWO, false),
                                new RangeCursor(
                                        bytes("ab"), bytes("b"), KeyOrder.ASCENDING, TWO, false),
                                new RangeCursor(
                                        bytes("a"), bytes("b"), KeyOrder.DESCENDING, TWO, false),
                                new RangeCursor(bytes("a"), null, KeyOrder.ASCENDING, TWO, false),
                                new RangeCursor(
                                        bytes("a"), bytes("b"), KeyOrder.ASCENDING, TWO, true),
                                new RangeCursor(
                                        bytes("a"),
                                        bytes("b"),
                                        KeyOrder.ASCENDING,
                                        new QuorumSpec(1, 3),
                                        false),
                                new RangeCursor(
                                        bytes("a"),
                                        bytes("b"),
                                        KeyOrder.ASCENDING,
                                        new QuorumSpec(2, 2),
                                        false)))
                .allSatisfy(other -> assertThat(other.key(cursor)).isNull());
    }

    @Test
    void noOtherTextIsACursor() {
        String cursor = cursors.after(bytes("key1"));
        for (int i = 0; i < cursor.length(); i++) {
            for (char c : "Aa0_-z=+/ %".toCharArray()) {
                if (c != cursor.charAt(i)) {
                    String changed = cursor.substring(0, i) + c + cursor.substring(i + 1);
                    assertThat(cursors.key(changed)).as(changed).isNull();
                }
            }
            assertThat(cursors.key(cursor.substring(0, i))).isNull();
        }
        assertThat(cursors.key(cursor + "A")).isNull();
        assertThat(cursors.key(cursor + "=")).isNull();
        assertThat(cursors.key("A".repeat(1 << 20))).isNull();
    }
}
