package dev.quorate.router.message;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates frames: the last 32 bytes of every frame are an HMAC-SHA256 (RFC 2104), keyed with
 * the cluster's secret.
 *
 * <p>A request's seal covers the frame. An answer's seal covers the request's seal and then the
 * frame, so that an answer is valid for one request only and cannot be swapped or replayed.
 *
 * <p>While the secret is rotated, a seal has a second one (decision 0058): it seals requests with
 * the first, and accepts requests with both. An answer has the secret of its request.
 *
 * <p>Frames are authentic, not encrypted. Thread-safe.
 */
public final class FrameSeal {

    public static final int BYTES = 32;

    /** The shortest secret, in bytes. */
    public static final int MIN_SECRET_BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";

    /** Keyed and never updated; each use clones it, which costs less than a new key schedule. */
    private final Mac keyed;

    /** The seal of the second secret; null if there is none. */
    private final @Nullable FrameSeal second;

    /**
     * @param secret the cluster's secret, the same on every node
     */
    public FrameSeal(byte[] secret) {
        this(secret, null);
    }

    /**
     * @param second accepts requests, too; null for none
     */
    public FrameSeal(byte[] secret, @Nullable FrameSeal second) {
        this.second = second;
        if (secret.length < MIN_SECRET_BYTES) {
            throw new IllegalArgumentException(
                    "The cluster's secret has " + secret.length + " bytes; it needs at least 16.");
        }
        try {
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    private Mac mac() {
        try {
            return (Mac) keyed.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Seals a request: fills in its last bytes. */
    void seal(byte[] frame) {
        finish(mac(), frame);
    }

    /** The seal of a request that consists of these parts. */
    byte[] sealOf(byte[]... parts) {
        Mac mac = mac();
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /**
     * Seals an answer to the request with {@code requestSeal}.
     *
     * @param last the whole answer, or its last part
     * @param before the parts before it
     */
    void sealAnswer(byte[] last, byte[] requestSeal, byte[]... before) {
        Mac mac = macOver(requestSeal);
        for (byte[] part : before) {
            mac.update(part);
        }
        finish(mac, last);
    }

    /** The seal that has sealed a request: this one or the second; null if neither has. */
    @Nullable FrameSeal thatSealed(byte[] frame) {
        if (matches(mac(), frame)) {
            return this;
        }
        return second == null ? null : second.thatSealed(frame);
    }

    boolean isGenuineAnswer(byte[] frame, byte[] requestSeal) {
        return matches(macOver(requestSeal), frame);
    }

    private Mac macOver(byte[] requestSeal) {
        Mac mac = mac();
        mac.update(requestSeal);
        return mac;
    }

    public static byte[] of(byte[] frame) {
        return Arrays.copyOfRange(frame, frame.length - BYTES, frame.length);
    }

    private static void finish(Mac mac, byte[] frame) {
        int end = frame.length - BYTES;
        mac.update(frame, 0, end);
        try {
            mac.doFinal(frame, end);
        } catch (ShortBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean matches(Mac mac, byte[] frame) {
        int end = frame.length - BYTES;
        mac.update(frame, 0, end);
        // Compares in constant time.
        return MessageDigest.isEqual(mac.doFinal(), Arrays.copyOfRange(frame, end, frame.length));
    }
}
