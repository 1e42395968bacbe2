package dev.quorate.node.access;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a token may take of each node at most; 0 is no limit. Immutable.
 *
 * <p>As text: words with blanks between them, in any order, each at most once: {@code rate=N},
 * {@code bytes-rate=10MiB} and {@code ranges=N}. Empty without limits.
 *
 * @param requestsPerSecond requests for entities; a batch counts each line
 * @param bytesPerSecond bytes of the bodies of these requests and of their answers
 * @param ranges that are open at once
 */
public record Shares(int requestsPerSecond, long bytesPerSecond, int ranges) {

    /** No limits. */
    public static final Shares NONE = new Shares(0, 0, 0);

    /** More than any node answers. */
    static final int MAX_REQUESTS_PER_SECOND = 1_000_000;

    /** With less, the largest value would be paid for only after minutes. */
    static final long MIN_BYTES_PER_SECOND = 64 << 10;

    static final long MAX_BYTES_PER_SECOND = 64L << 30;

    /** As many as a node opens at all. */
    static final int MAX_RANGES = 1_024;

    /** The word of {@link #requestsPerSecond}, before its number. */
    public static final String RATE = "rate=";

    /** The word of {@link #bytesPerSecond}, before its size. */
    public static final String BYTES_RATE = "bytes-rate=";

    /** The word of {@link #ranges}, before its number. */
    public static final String RANGES = "ranges=";

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,6}");
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,11})(|KiB|MiB|GiB)");
    private static final List<String> UNITS = List.of("", "KiB", "MiB", "GiB");
    private static final int UNIT_BITS = 10;

    public Shares {
        if (requestsPerSecond < 0 || requestsPerSecond > MAX_REQUESTS_PER_SECOND) {
            throw new IllegalArgumentException("requests a second: " + requestsPerSecond);
        }
        boolean isByteRate =
                bytesPerSecond >= MIN_BYTES_PER_SECOND && bytesPerSecond <= MAX_BYTES_PER_SECOND;
        if (bytesPerSecond != 0 && !isByteRate) {
            throw new IllegalArgumentException("bytes a second: " + bytesPerSecond);
        }
        if (ranges < 0 || ranges > MAX_RANGES) {
            throw new IllegalArgumentException("ranges: " + ranges);
        }
    }

    /**
     * Parses words.
     *
     * @throws InvalidTokensException if one of them is invalid
     */
    public static Shares parse(List<String> words) throws InvalidTokensException {
        int requestsPerSecond = 0;
        long bytesPerSecond = 0;
        int ranges = 0;
        Set<String> seen = new HashSet<>();
        for (String word : words) {
            String name = word.substring(0, word.indexOf('=') + 1);
            String value = word.substring(name.length());
            switch (name) {
                case RATE -> requestsPerSecond = requestsPerSecond(value);
                case BYTES_RATE -> bytesPerSecond = bytesPerSecond(value);
                case RANGES -> ranges = ranges(value);
                default ->
                        throw new InvalidTokensException(
                                "what follows its digest is not rate=N, bytes-rate=N or ranges=N");
            }
            if (!seen.add(name)) {
                throw new InvalidTokensException("it has " + name + " twice");
            }
        }
        return new Shares(requestsPerSecond, bytesPerSecond, ranges);
    }

    private static int requestsPerSecond(String text) throws InvalidTokensException {
        int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MAX_REQUESTS_PER_SECOND) {
            throw new InvalidTokensException(
                    "A rate is 1 to %d requests a second.".formatted(MAX_REQUESTS_PER_SECOND));
        }
        return number;
    }

    private static long bytesPerSecond(String text) throws InvalidTokensException {
        Matcher size = SIZE.matcher(text);
        long bytes = 0;
        if (size.matches()) {
            int shift = UNIT_BITS * UNITS.indexOf(size.group(2));
            long number = Long.parseLong(size.group(1));
            bytes = number > MAX_BYTES_PER_SECOND >> shift ? 0 : number << shift;
        }
        if (bytes < MIN_BYTES_PER_SECOND || bytes > MAX_BYTES_PER_SECOND) {
            throw new InvalidTokensException(
                    "A rate of bytes is 64KiB to 64GiB a second, such as 65536, 512KiB or 10MiB.");
        }
        return bytes;
    }

    private static int ranges(String text) throws InvalidTokensException {
        int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MAX_RANGES) {
            throw new InvalidTokensException(
                    "A token may have 1 to %d ranges open.".formatted(MAX_RANGES));
        }
        return number;
    }

    /** The words that {@link #parse} reads. */
    public String text() {
        List<String> words = new ArrayList<>();
        if (requestsPerSecond > 0) {
            words.add(RATE + requestsPerSecond);
        }
        if (bytesPerSecond > 0) {
            words.add(BYTES_RATE + bytesText());
        }
        if (ranges > 0) {
            words.add(RANGES + ranges);
        }
        return String.join(" ", words);
    }

    /** The bytes a second, in the largest unit that expresses them exactly. */
    public String bytesText() {
        int unit =
                Math.min(Long.numberOfTrailingZeros(bytesPerSecond) / UNIT_BITS, UNITS.size() - 1);
        return (bytesPerSecond >> (unit * UNIT_BITS)) + UNITS.get(unit);
    }
}
