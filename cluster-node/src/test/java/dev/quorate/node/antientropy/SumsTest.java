package dev.quorate.node.antientropy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.UnreadValue;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SumsTest {

    private static final byte[] KEY = "key".getBytes(US_ASCII);
    private static final Timestamp TIMESTAMP = new Timestamp(0x0102030405060708L, 0x0A0B0C0D);
    private static final byte[] VALUE = {9, 8};
    private static final int SALT = 7;

    /** To a release that hashes otherwise, all entries of this one would differ from its own. */
    @Test
    void allReleasesHashAlike() {
        Entry value = Entry.value(KEY, TIMESTAMP, VALUE, 3);
        Entry tombstone = Entry.tombstone(KEY, TIMESTAMP, 3);
        assertThat(Sums.content(value)).isEqualTo(0xF50E74D2);
        assertThat(Sums.hash(SALT, value)).isEqualTo(0xE105876034A3D532L);
        assertThat(Sums.hash(SALT, tombstone)).isEqualTo(0x6A305302064784AEL);
    }

    /** Without a step it is that of releases that knew none. */
    @Test
    void aStepIsCovered() {
        Timestamp step = TIMESTAMP.withStep(TIMESTAMP.hybrid() + 1);
        Timestamp another = TIMESTAMP.withStep(TIMESTAMP.hybrid() + 2);
        assertThat(Sums.hash(SALT, Entry.value(KEY, step, VALUE, 3)))
                .isEqualTo(7104574044447928250L)
                .isNotEqualTo(Sums.hash(SALT, Entry.value(KEY, another, VALUE, 3)))
                .isNotEqualTo(Sums.hash(SALT, Entry.value(KEY, TIMESTAMP, VALUE, 3)));
    }

    @Test
    void aContentTypeIsCovered() {
        Entry value = Entry.value(KEY, TIMESTAMP, VALUE, 3);
        assertThat(Sums.hash(SALT, value))
                .isNotEqualTo(Sums.hash(SALT, value.withContentType("text/plain")));
        assertThat(Sums.hash(SALT, value.withContentType("text/html")))
                .isNotEqualTo(Sums.hash(SALT, value.withContentType("text/plain")));
    }

    /** It is a value on one replica, and a tombstone already on another. */
    @Test
    void aValueThatExpiresHasTheHashOfItsTombstone() {
        Entry expiring = Entry.expiring(KEY, TIMESTAMP, VALUE, 3, 0x1112);
        assertThat(Sums.hash(SALT, expiring))
                .isEqualTo(Sums.hash(SALT, Entry.tombstone(KEY, TIMESTAMP, 3)));
    }

    @Test
    void aValueThatIsReadInPiecesHasTheSameContent() {
        byte[] bytes = new byte[UnreadValue.PIECE_BYTES + 5];
        new Random(1).nextBytes(bytes);
        for (Entry entry :
                List.of(
                        Entry.value(KEY, TIMESTAMP, bytes, 3),
                        Entry.value(KEY, TIMESTAMP, new byte[0], 3),
                        Entry.value(KEY, TIMESTAMP, bytes, 3).withContentType("text/plain"),
                        Entry.expiring(KEY, TIMESTAMP, bytes, 3, 1_000))) {
            assertThat(Sums.content(UnreadValue.of(entry))).isEqualTo(Sums.content(entry));
        }
    }
}
