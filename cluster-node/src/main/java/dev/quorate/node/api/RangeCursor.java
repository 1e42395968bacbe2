package dev.quorate.node.api;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.quorate.node.api.request.RequestReader;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.storage.KeyOrder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The cursors of one query: each is the last key of a page, bound to the query. Nodes store no
 * state for it, so any node accepts it, at any time.
 *
 * <pre>
 * cursor:  base64url, without padding, of
 *          0  version  u8   1
 *          1  check         the first 8 bytes of the SHA-256 of the version, the query and the key
 *          9  key           the last one of the page, 1 to 1,024 bytes
 * query:   u8 bit 0 keys alone, bit 1 descending; u32 ack; u32 from; u32 length of the start; start;
 *          u32 length of the end, or -1 without one; end
 * </pre>
 *
 * <p>The check refuses damaged cursors and those of other queries. It is not a signature: a forged
 * cursor gives no more access than {@code start}.
 */
final class RangeCursor {

    private static final byte VERSION = 1;
    private static final int CHECK_BYTES = 8;
    private static final int KEY_AT = 1 + CHECK_BYTES;
    private static final int MAX_TEXT = (KEY_AT + RequestReader.MAX_KEY_BYTES + 2) / 3 * 4;

    private final byte[] query;

    /** Creates the cursors of a query for a range of the cluster. */
    RangeCursor(
            byte[] start,
            byte @Nullable [] end,
            KeyOrder order,
            QuorumSpec spec,
            boolean keysOnly) {
        int endBytes = end == null ? 0 : end.length;
        ByteBuffer out = ByteBuffer.allocate(1 + 4 * Integer.BYTES + start.length + endBytes);
        int flags = (keysOnly ? 1 : 0) | (order == KeyOrder.DESCENDING ? 2 : 0);
        out.put((byte) flags).putInt(spec.ack()).putInt(spec.from());
        out.putInt(start.length).put(start);
        out.putInt(end == null ? -1 : end.length);
        if (end != null) {
            out.put(end);
        }
        query = out.array();
    }

    /** The cursor of the page after this key. */
    String after(byte[] key) {
        byte[] token = Arrays.copyOf(check(key), KEY_AT + key.length);
        System.arraycopy(key, 0, token, KEY_AT, key.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    /** The last key of the previous page; null if this is not a cursor of the query. */
    byte @Nullable [] key(String cursor) {
        if (cursor.length() > MAX_TEXT || cursor.indexOf('=') >= 0) {
            return null;
        }
        byte[] token;
        try {
            token = Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            return null;
        }
        if (token.length <= KEY_AT) {
            return null;
        }
        byte[] key = Arrays.copyOfRange(token, KEY_AT, token.length);
        boolean isChecked = Arrays.equals(check(key), 0, KEY_AT, token, 0, KEY_AT);
        // Unused bits of the last character would allow other texts for the same cursor.
        return isChecked && after(key).equals(cursor) ? key : null;
    }

    /** The version, followed by the check. */
    private byte[] check(byte[] key) {
        Hasher hasher = Hashing.sha256().newHasher().putByte(VERSION).putBytes(query);
        byte[] hash = hasher.putBytes(key).hash().asBytes();
        byte[] check = new byte[KEY_AT];
        check[0] = VERSION;
        System.arraycopy(hash, 0, check, 1, CHECK_BYTES);
        return check;
    }
}
