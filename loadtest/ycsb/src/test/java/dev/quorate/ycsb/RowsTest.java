package dev.quorate.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

class RowsTest {

    private static final byte[] ROW =
            Rows.encode(Map.of("field0", new StringByteIterator("content")));

    @Test
    void aRowComesBack() throws IOException {
        Map<String, ByteIterator> row = Rows.decode(ROW);
        assertThat(row).containsOnlyKeys("field0");
        assertThat(row.get("field0")).hasToString("content");
    }

    @Test
    void noPartOfARowIsARow() {
        for (int length = 0; length < ROW.length; length++) {
            byte[] part = Arrays.copyOf(ROW, length);
            assertThatThrownBy(() -> Rows.decode(part)).isInstanceOf(IOException.class);
        }
        byte[] more = Arrays.copyOf(ROW, ROW.length + 1);
        assertThatThrownBy(() -> Rows.decode(more)).isInstanceOf(IOException.class);
    }
}
