package dev.quorate.loadtest.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;
import java.util.Random;

/** The shape of values. */
public enum ValueShape {
    /** Random bytes, which nothing makes smaller. */
    RANDOM {
        @Override
        void fill(byte[] pool, Random random) {
            random.nextBytes(pool);
        }
    },

    /** Records as applications store them: JSON with the same names and varying contents. */
    TEXT {
        @Override
        void fill(byte[] pool, Random random) {
            int at = 0;
            while (at < pool.length) {
                byte[] record = record(random).getBytes(US_ASCII);
                int length = Math.min(record.length, pool.length - at);
                System.arraycopy(record, 0, pool, at, length);
                at += length;
            }
        }
    };

    private static final String[] NAMES = {
        "Ada",
        "Barbara",
        "Edsger",
        "Frances",
        "Grace",
        "Ken",
        "Leslie",
        "Lynn",
        "Margaret",
        "Niklaus",
        "Radia",
        "Tony"
    };
    private static final String[] STATES = {"new", "paid", "packed", "sent", "returned"};

    /** Fills what values are cut from. */
    abstract void fill(byte[] pool, Random random);

    private static String record(Random random) {
        return String.format(
                Locale.ROOT,
                "{\"id\":\"%016x\",\"user\":\"%s\",\"email\":\"%s.%d@example.org\","
                        + "\"state\":\"%s\",\"at\":\"2026-%02d-%02dT%02d:%02d:%02dZ\","
                        + "\"cents\":%d,\"items\":[%d,%d],\"gift\":%b},",
                random.nextLong(),
                oneOf(NAMES, random),
                oneOf(NAMES, random),
                random.nextInt(100_000),
                oneOf(STATES, random),
                1 + random.nextInt(12),
                1 + random.nextInt(28),
                random.nextInt(24),
                random.nextInt(60),
                random.nextInt(60),
                random.nextInt(1_000_000),
                random.nextInt(10_000),
                random.nextInt(10_000),
                random.nextBoolean());
    }

    private static String oneOf(String[] words, Random random) {
        return words[random.nextInt(words.length)];
    }
}
