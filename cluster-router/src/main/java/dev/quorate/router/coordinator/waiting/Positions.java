package dev.quorate.router.coordinator.waiting;

import dev.quorate.router.token.Token;
import dev.quorate.router.topology.Topology;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * How far each member had counted the changes below a prefix. A later write that is acknowledged is
 * counted further by a member that stores it.
 *
 * @param topology the fingerprint of the members
 * @param counts one of each member, in the order of the topology; 0 if it is not known
 */
public record Positions(long topology, long[] counts) {

    private static final int MAX_TEXT = (Topology.MAX_MEMBERS + 2) * Long.BYTES * 4 / 3 + 1;

    /** What has happened since earlier positions; unknown if a member has forgotten the prefix. */
    public enum Change {
        NONE,
        SOME,
        UNKNOWN
    }

    public Change since(Positions before) {
        boolean isKnown = topology == before.topology && counts.length == before.counts.length;
        long sum = 0;
        for (int i = 0; isKnown && i < counts.length; i++) {
            long steps = counts[i] - before.counts[i];
            isKnown = counts[i] != 0 && before.counts[i] != 0 && steps == (steps & 0x7FFF_FFFF);
            sum += steps;
        }
        return !isKnown ? Change.UNKNOWN : sum == 0 ? Change.NONE : Change.SOME;
    }

    /**
     * The token of a client: base64url, without padding, of a check of 8 bytes, the topology and
     * the counts. The check refuses damaged tokens and those of other prefixes. It is not a
     * signature: a wait with a forged token costs as much as one with a new token.
     */
    public String token(byte[] prefix) {
        ByteBuffer token = ByteBuffer.allocate((counts.length + 2) * Long.BYTES);
        token.putLong(0).putLong(topology).asLongBuffer().put(counts);
        token.putLong(0, Token.hash(token.array()) ^ Token.hash(prefix));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
    }

    /** The positions of a token; null if no node can have made it for this prefix. */
    public static @Nullable Positions parse(String text, byte[] prefix) {
        byte[] token;
        try {
            token = Base64.getUrlDecoder().decode(text.length() > MAX_TEXT ? "" : text);
        } catch (IllegalArgumentException e) {
            return null;
        }
        int count = token.length / Long.BYTES - 2;
        if (count < 1) {
            return null;
        }
        Positions positions =
                new Positions(ByteBuffer.wrap(token).getLong(Long.BYTES), new long[count]);
        ByteBuffer.wrap(token).position(2 * Long.BYTES).asLongBuffer().get(positions.counts);
        return positions.token(prefix).equals(text) ? positions : null;
    }
}
