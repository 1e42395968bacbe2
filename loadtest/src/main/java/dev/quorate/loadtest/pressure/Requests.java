package dev.quorate.loadtest.pressure;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** What a load consists of: makes the bytes of one request after the other. */
public final class Requests {

    private static final String END = " HTTP/1.1\r\nHost: localhost\r\n";

    private Requests() {}

    /** Reads of random keys. */
    public static Supplier<ByteBuffer> gets(String replicas, int keys, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> get(replicas, random.nextInt(keys));
    }

    /** Writes of random keys, with values of random bytes. */
    public static Supplier<ByteBuffer> puts(String replicas, int keys, int valueBytes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] value = value(valueBytes, random);
        return () -> put(replicas, random.nextInt(keys), value);
    }

    /** Writes of all keys, one after the other. */
    public static Supplier<ByteBuffer> fill(String replicas, int valueBytes, long seed) {
        byte[] value = value(valueBytes, new SplittableRandom(seed));
        int[] next = {0};
        return () -> put(replicas, next[0]++, value);
    }

    /** One of each by turns. */
    public static Supplier<ByteBuffer> byTurns(Supplier<ByteBuffer> one, Supplier<ByteBuffer> two) {
        boolean[] first = {false};
        return () -> {
            first[0] = !first[0];
            return first[0] ? one.get() : two.get();
        };
    }

    static byte[] value(int bytes, SplittableRandom random) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return value;
    }

    private static ByteBuffer get(String replicas, int key) {
        return bytes("GET " + target(replicas, key) + END + "\r\n");
    }

    private static ByteBuffer put(String replicas, int key, byte[] value) {
        String head = "PUT " + target(replicas, key) + END;
        byte[] start = (head + "Content-Length: " + value.length + "\r\n\r\n").getBytes(US_ASCII);
        return ByteBuffer.allocate(start.length + value.length).put(start).put(value).flip();
    }

    private static String target(String replicas, int key) {
        StringBuilder target = new StringBuilder(64).append("/v0/entity?id=pressure-");
        String digits = Integer.toString(key);
        return target.repeat('0', Math.max(0, 8 - digits.length()))
                .append(digits)
                .append("&replicas=")
                .append(replicas)
                .toString();
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }
}
