package dev.quorate.router.message;

import dev.quorate.storage.Timestamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A replica's answer to {@link ReplicaRequest.Compare}. */
public sealed interface ComparedRange {

    /** Maximum number of parts of a range. */
    int MAX_PARTS = 64;

    /** Maximum number of entries of a list. */
    int MAX_LISTED = 4_096;

    /** Maximum bytes of the bounds or keys of one answer, decompressed. */
    int MAX_KEY_BYTES = 1 << 20;

    /** The sums are equal, and so are the entries. */
    enum Same implements ComparedRange {
        SAME
    }

    /**
     * The sums differ, or the range was too long for one request.
     *
     * @param parts the parts of the range, in ascending order and without gaps; at least one. If
     *     the last part has an end, the rest of the range was not read
     */
    record Parts(List<Part> parts) implements ComparedRange {
        public Parts {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A part of a range.
     *
     * @param end the first key after it; null, in the last part only, for the end of the range
     * @param sum the sum of its entries' hashes
     */
    record Part(byte @Nullable [] end, long sum) {}

    /** The sums differ, and these are all entries of the range, in ascending key order. */
    record Listing(List<Listed> entries) implements ComparedRange {
        public Listing {
            entries = List.copyOf(entries);
        }
    }

    /**
     * An entry without its value.
     *
     * @param content a checksum of the value; 0 for a tombstone, and for a value that expires
     */
    record Listed(byte[] key, Timestamp timestamp, int content) {}
}
