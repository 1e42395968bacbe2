package dev.quorate.ycsb;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/**
 * A row of YCSB, which has fields, as one value: {@code u16} fields, and of each its name in
 * modified UTF-8 after a {@code u16} with its bytes, and its content after an {@code i32} with its
 * bytes; all big-endian.
 */
final class Rows {

    private Rows() {}

    static byte[] encode(Map<String, ByteIterator> row) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeShort(row.size());
            for (Map.Entry<String, ByteIterator> field : row.entrySet()) {
                out.writeUTF(field.getKey());
                byte[] content = field.getValue().toArray();
                out.writeInt(content.length);
                out.write(content);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a field's name is too long", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a row.
     *
     * @throws IOException if these bytes are none
     */
    static Map<String, ByteIterator> decode(byte[] value) throws IOException {
        Map<String, ByteIterator> row = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            int fields = in.readUnsignedShort();
            for (int i = 0; i < fields; i++) {
                String name = in.readUTF();
                int length = in.readInt();
                if (length < 0 || length > in.available()) {
                    throw new IOException("a field of " + length + " bytes in a shorter row");
                }
                row.put(name, new ByteArrayByteIterator(in.readNBytes(length)));
            }
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes behind the last field");
            }
        }
        return row;
    }
}
