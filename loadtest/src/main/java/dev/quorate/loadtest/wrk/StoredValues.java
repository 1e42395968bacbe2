package dev.quorate.loadtest.wrk;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;

/**
 * The keys and values that the load script puts, made again: what a GET has to be answered with.
 *
 * <p>A value is the eight digits of its key's number and behind them a piece of one text, from a
 * place that depends on the number; one of up to eight bytes is the last of the digits. {@code
 * bench.lua} says the same.
 */
public final class StoredValues {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int TEXT_BYTES = 65_536;
    private static final long MODULUS = 2_147_483_647;
    private static final long MULTIPLIER = 16_807;
    private static final long STRIDE = 7_919;
    private static final int DIGITS = 8;

    private static final byte[] TEXT = text();

    private StoredValues() {}

    private static byte[] text() {
        byte[] text = new byte[TEXT_BYTES];
        long random = 1;
        for (int i = 0; i < TEXT_BYTES; i++) {
            random = random * MULTIPLIER % MODULUS;
            text[i] = (byte) ALPHABET.charAt((int) (random % ALPHABET.length()));
        }
        return text;
    }

    /** The key with that number, as it stands in a URL, among those with values of one size. */
    public static String key(int number, int valueBytes) {
        return String.format(Locale.ROOT, "bench-%d-%08d", valueBytes, number);
    }

    /** Its value. */
    public static byte[] value(int number, int valueBytes) {
        byte[] digits = String.format(Locale.ROOT, "%08d", number).getBytes(US_ASCII);
        byte[] value = new byte[valueBytes];
        int fromDigits = Math.min(valueBytes, DIGITS);
        System.arraycopy(digits, DIGITS - fromDigits, value, 0, fromDigits);
        int start = (int) (number * STRIDE % TEXT_BYTES);
        for (int i = fromDigits; i < valueBytes; i++) {
            value[i] = TEXT[(start + i - DIGITS) % TEXT_BYTES];
        }
        return value;
    }
}
