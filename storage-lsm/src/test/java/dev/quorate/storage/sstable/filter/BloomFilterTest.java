package dev.quorate.storage.sstable.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The number of hashes and of sections. */
class BloomFilterTest {

    @Test
    void theNumberOfHashesFollowsFromTheBitsPerKey() {
        assertThat(BloomFilter.hashes(1)).isEqualTo(1);
        assertThat(BloomFilter.hashes(10)).isEqualTo(7);
        assertThat(BloomFilter.hashes(64)).isEqualTo(30);
        assertThat(BloomFilter.sections(0, 10)).isZero();
        assertThat(BloomFilter.sections(1, 10)).isEqualTo(1);
        assertThat(BloomFilter.sections(202, 10)).isEqualTo(2);
        assertThat(BloomFilter.sections(1000, 0)).isZero();
    }
}
