package dev.quorate.node.conditional;

import dev.quorate.storage.Timestamp;
import java.util.HexFormat;

/**
 * Orders the values of a key: by root, then by step. A plain write has its timestamp as root, and
 * no step. A conditional write keeps the root of what it replaces, and has a later step: so it
 * comes directly after that, and before every other plain write.
 *
 * <p>The text form is the root's and, with a step, a dash and 16 hexadecimal digits. It sorts as
 * versions do.
 *
 * @param step a clock's reading, unsigned; 0 for a plain write
 */
public record Version(Timestamp root, long step) implements Comparable<Version> {

    /** Of a key that has no entry. Before every other one. */
    public static final Version ABSENT = new Version(Timestamp.ZERO, 0);

    /** The version of a plain write. */
    public static Version plain(Timestamp timestamp) {
        return new Version(timestamp, 0);
    }

    @Override
    public int compareTo(Version other) {
        int byRoot = root.compareTo(other.root);
        return byRoot != 0 ? byRoot : Long.compareUnsigned(step, other.step);
    }

    public boolean isAfter(Version other) {
        return compareTo(other) > 0;
    }

    /** The reading of the clock when it was made, by which its age is judged. */
    public long madeAt() {
        return step == 0 ? root.hybrid() : step;
    }

    @Override
    public String toString() {
        return step == 0 ? root.toString() : root + "-" + HexFormat.of().toHexDigits(step);
    }
}
