package dev.quorate.storage.sstable.filter;

import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.sstable.SSTable;
import org.junit.jupiter.api.Test;

/** The published values of XXH64 with seed 0. */
class KeyHashTest {

    @Test
    void isXxh64() {
        assertHash("", 0xEF46DB3751D8E999L);
        assertHash("a", 0xD24EC4F1A98C6E5BL);
        assertHash("abc", 0x44BC2CF5AD770999L);
        assertHash("Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1L);
    }

    private static void assertHash(String text, long expected) {
        assertThat(KeyHash.of(bytes(text))).isEqualTo(expected);
        assertThat(SSTable.hash(bytes(text))).isEqualTo(expected);
    }
}
