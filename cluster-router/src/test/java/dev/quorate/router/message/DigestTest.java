package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import org.junit.jupiter.api.Test;

/** A digest is that of one entry, and of no other. */
final class DigestTest {

    private static final byte[] KEY = bytes("key");
    private static final Timestamp VERSION = new Timestamp(5, 6);
    private static final byte[] VALUE = new byte[600];

    @Test
    void allOfItCounts() {
        Entry entry = Entry.expiring(KEY, VERSION, VALUE, 3, 77);
        Digest digest = Digest.of(entry);
        assertThat(digest.isOf(entry)).isTrue();
        byte[] other = VALUE.clone();
        other[599] = 1;
        assertThat(digest.isOf(Entry.expiring(KEY, VERSION, other, 3, 77))).isFalse();
        assertThat(digest.isOf(Entry.expiring(KEY, VERSION, VALUE, 2, 77))).isFalse();
        assertThat(digest.isOf(Entry.expiring(KEY, VERSION, VALUE, 3, 78))).isFalse();
        assertThat(digest.isOf(Entry.expiring(KEY, new Timestamp(5, 7), VALUE, 3, 77))).isFalse();
        assertThat(digest.isOf(Entry.tombstone(KEY, VERSION, 3))).isFalse();
        assertThat(digest.isOf(entry.withContentType("text/plain"))).isFalse();
        Digest shorter = new Digest(VERSION, 3, 77, 599, digest.checksum());
        assertThat(shorter.isOf(entry)).isFalse();
    }

    @Test
    void theEndOfATombstoneIsNotThatOfAnEmptyValue() {
        Digest empty = Digest.of(Entry.value(KEY, VERSION, new byte[0], 3));
        assertThat(empty.isOf(Entry.tombstone(KEY, VERSION, 3))).isFalse();
    }
}
