package dev.quorate.loadtest.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Random;

/**
 * Keys and values by number, the same for all engines. Keys have 16 bytes in random order. Values
 * are unique: the first eight bytes are the number, the others a piece of JSON records with equal
 * names and varying contents.
 */
final class TrialData {

    static final int KEY_BYTES = 16;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int POOL_BYTES = 1 << 22;
    private static final byte[] DIGITS = {
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
    };

    private final byte[] pool;
    private final int valueBytes;

    TrialData(int valueBytes) {
        this.valueBytes = valueBytes;
        this.pool = new byte[POOL_BYTES + valueBytes];
        Random random = new Random(valueBytes);
        for (int at = 0; at < pool.length; ) {
            byte[] record = record(random).getBytes(US_ASCII);
            int length = Math.min(record.length, pool.length - at);
            System.arraycopy(record, 0, pool, at, length);
            at += length;
        }
    }

    private static String record(Random random) {
        return String.format(
                Locale.ROOT,
                "{\"id\":\"%016x\",\"user\":\"user%d\",\"email\":\"mail.%d@example.org\","
                        + "\"state\":\"%s\",\"at\":\"2026-%02d-%02dT%02d:%02d:00Z\",\"cents\":%d},",
                random.nextLong(),
                random.nextInt(1_000),
                random.nextInt(100_000),
                random.nextBoolean() ? "paid" : "sent",
                1 + random.nextInt(12),
                1 + random.nextInt(28),
                random.nextInt(24),
                random.nextInt(60),
                random.nextInt(1_000_000));
    }

    /** A key: sixteen hexadecimal digits. */
    static byte[] key(long number) {
        long mixed = mix(number);
        byte[] key = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            key[i] = DIGITS[(int) (mixed >>> (60 - 4 * i)) & 15];
        }
        return key;
    }

    /** The finalizer of SplitMix64: a bijection, so that keys are unique. */
    static long mix(long number) {
        long z = number * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    byte[] value(long number) {
        byte[] value = new byte[valueBytes];
        int from = (int) (mix(~number) & (POOL_BYTES - 1));
        System.arraycopy(pool, from, value, 0, valueBytes);
        LONG.set(value, 0, number);
        return value;
    }

    static long head(byte[] value) {
        return (long) LONG.get(value, 0);
    }
}
