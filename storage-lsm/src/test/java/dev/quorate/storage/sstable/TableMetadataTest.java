package dev.quorate.storage.sstable;

import static dev.quorate.storage.sstable.Tables.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.FieldWriter;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Metadata round-trips, and malformed bytes are rejected. */
class TableMetadataTest {

    private static TableMetadata table(String first, String last) {
        return new TableMetadata(
                9,
                2,
                4096,
                10,
                3,
                bytes(first),
                bytes(last),
                new Timestamp(5, 1),
                new Timestamp(6, 2));
    }

    private static byte[] encode(TableMetadata table) {
        return FieldWriter.bytesOf(table::writeTo);
    }

    private static TableMetadata decode(byte[] bytes) throws IOException {
        return TableMetadata.readFrom(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void roundTrips() throws IOException {
        TableMetadata table = table("a", "z");
        assertThat(decode(encode(table))).isEqualTo(table).hasSameHashCodeAs(table);
        byte[] longest = new byte[Entry.MAX_KEY_BYTES];
        TableMetadata long1 =
                new TableMetadata(1, 0, 1, 1, 1, longest, longest, Timestamp.ZERO, Timestamp.ZERO);
        assertThat(decode(encode(long1))).isEqualTo(long1).isNotEqualTo(table);
    }

    @Test
    void truncatedOrInvalidMetadataIsRejected() throws IOException {
        byte[] whole = encode(table("aa", "zz"));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> decode(cut)).isInstanceOf(IOException.class);
        }
        byte[] level = whole.clone();
        level[8] = TableMetadata.MAX_LEVEL + 1;
        assertThatThrownBy(() -> decode(level))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("level out of range: 7");
    }

    @Test
    void randomBytesDecodeToATableOrAnIoException() {
        Random random = new Random(Tables.seed("randomBytesDecodeToATableOrAnIoException"));
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(100)];
            random.nextBytes(noise);
            try {
                assertThat(decode(noise).entries()).isPositive();
            } catch (IOException honest) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void rangesIncludeTheirEnds() {
        TableMetadata table = table("d", "m");
        assertThat(table.mayContain(bytes("d"))).isTrue();
        assertThat(table.mayContain(bytes("m"))).isTrue();
        assertThat(table.mayContain(bytes("m\0"))).isFalse();
        assertThat(table.mayContain(bytes("c"))).isFalse();
        assertThat(table.overlaps(bytes("m"), null)).isTrue();
        assertThat(table.overlaps(bytes("m\0"), null)).isFalse();
        assertThat(table.overlaps(bytes("a"), bytes("d"))).isFalse();
        assertThat(table.overlaps(bytes("a"), bytes("d\0"))).isTrue();
        assertThat(table.overlaps(table("m", "z"))).isTrue();
        assertThat(table.overlaps(table("n", "z"))).isFalse();
    }
}
