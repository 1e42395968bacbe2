package dev.quorate.client;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Chooses versions for writes that are sent under a version from the first attempt on: 48 bits of
 * milliseconds since 1970, and 48 random bits.
 */
final class Versions {

    private static final long SECOND_MILLIS = 1_000;

    private final Effects effects;

    Versions(Effects effects) {
        this.effects = effects;
    }

    /**
     * A version that no other write has.
     *
     * @param newest above which it has to be; null for none
     */
    Version next(@Nullable Version newest) {
        long random = effects.random();
        // The second that has begun is not ahead of the nodes' clocks.
        long second = effects.millis() / SECOND_MILLIS * SECOND_MILLIS;
        long hybrid = second << 16 | random >>> 48;
        if (newest != null) {
            hybrid = later(hybrid, madeAt(newest) + 1);
        }
        return new Version(String.format(Locale.ROOT, "%016x-%08x", hybrid, random & 0xFFFF_FFFFL));
    }

    /** The reading of the clock that made it; the last, if a conditional write did. */
    private static long madeAt(Version version) {
        String text = version.text();
        long root = Long.parseUnsignedLong(text.substring(0, 16), 16);
        return text.length() > 25
                ? later(root, Long.parseUnsignedLong(text.substring(26), 16))
                : root;
    }

    private static long later(long one, long other) {
        return Long.compareUnsigned(one, other) > 0 ? one : other;
    }
}
