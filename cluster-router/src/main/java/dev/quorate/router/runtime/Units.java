package dev.quorate.router.runtime;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The units of durations, in milliseconds, and of sizes, in bytes. 0 needs no unit. */
public final class Units {

    public static final Units DURATION =
            new Units(
                    "a duration",
                    List.of("ms", "s", "m", "h", "d"),
                    List.of(1L, 1_000L, 60_000L, 3_600_000L, 86_400_000L));

    public static final Units SIZE =
            new Units(
                    "a size",
                    List.of("B", "KiB", "MiB", "GiB"),
                    List.of(1L, 1L << 10, 1L << 20, 1L << 30));

    private static final int MAX_DIGITS = 15;

    private final String noun;
    private final List<String> names;
    private final List<Long> factors;

    private Units(String noun, List<String> names, List<Long> factors) {
        this.noun = noun;
        this.names = names;
        this.factors = factors;
    }

    /** Parses digits and a unit, such as {@code 500ms} or {@code 64MiB}, without limits. */
    public long parse(String text) {
        return parse(text, 0, Long.MAX_VALUE, null);
    }

    /**
     * Parses digits and a unit.
     *
     * @param bareUnit the unit of digits without one; null if they are invalid
     * @throws IllegalArgumentException with the rest of a sentence that begins with the value
     */
    public long parse(String text, long least, long most, @Nullable String bareUnit) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        if (digits == 0 || digits > MAX_DIGITS) {
            throw notBetween(least, most);
        }
        long number = Long.parseLong(text, 0, digits, 10);
        String unit = text.substring(digits);
        if (unit.isEmpty()) {
            if (number > 0 && bareUnit == null) {
                throw new IllegalArgumentException(
                        "must be %s with a unit (%s), for example %s%s"
                                .formatted(noun, list(), number, largestUnit(number, most)));
            }
            unit = Objects.requireNonNullElse(bareUnit, names.getFirst());
        }
        int index = names.indexOf(unit);
        if (index < 0 || number > most / factors.get(index)) {
            throw notBetween(least, most);
        }
        long value = number * factors.get(index);
        if (value < least) {
            throw notBetween(least, most);
        }
        return value;
    }

    /** The text of a value, in the largest unit that divides it. */
    public String text(long value) {
        int index = names.size() - 1;
        while (value % factors.get(index) != 0) {
            index--;
        }
        return value == 0 ? "0" : value / factors.get(index) + names.get(index);
    }

    private String largestUnit(long number, long most) {
        int index = names.size() - 1;
        while (index > 0 && number > most / factors.get(index)) {
            index--;
        }
        return names.get(index);
    }

    private IllegalArgumentException notBetween(long least, long most) {
        return new IllegalArgumentException(
                "must be %s from %s to %s, in %s".formatted(noun, text(least), text(most), list()));
    }

    private String list() {
        int last = names.size() - 1;
        return String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }
}
