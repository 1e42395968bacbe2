package dev.quorate.storage.format;

import java.util.HexFormat;
import java.util.List;

/**
 * The names of the files in a store's directory. Logs, tables and manifests share one sequence of
 * numbers, so no number is used twice.
 */
public final class FileNames {

    /** Held while a store has the directory open. */
    public static final String LOCK = "LOCK";

    /** Names the manifest in use. */
    public static final String CURRENT = "CURRENT";

    /** The temporary name under which {@link #CURRENT} is written before it is renamed. */
    public static final String CURRENT_NEXT = "CURRENT.next";

    private static final String LOG_SUFFIX = ".log";
    private static final String TABLE_SUFFIX = ".sst";
    private static final String MANIFEST_SUFFIX = ".manifest";
    private static final int DIGITS = 16;

    private FileNames() {}

    public enum Kind {
        LOG,
        TABLE,
        MANIFEST,
        LOCK,
        CURRENT,
        CURRENT_NEXT,
        /** Not a file of the store: ignored. */
        FOREIGN
    }

    /**
     * A parsed name.
     *
     * @param number the file's number; 0 for kinds without one
     */
    public record Name(Kind kind, long number) {}

    public static String log(long number) {
        return number(number) + LOG_SUFFIX;
    }

    public static String table(long number) {
        return number(number) + TABLE_SUFFIX;
    }

    public static String manifest(long number) {
        return number(number) + MANIFEST_SUFFIX;
    }

    private static String number(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("negative file number: " + number);
        }
        return HexFormat.of().toHexDigits(number);
    }

    /** Parses a name. Any name that is not exactly one of the store's is {@link Kind#FOREIGN}. */
    public static Name parse(String name) {
        return switch (name) {
            case LOCK -> new Name(Kind.LOCK, 0);
            case CURRENT -> new Name(Kind.CURRENT, 0);
            case CURRENT_NEXT -> new Name(Kind.CURRENT_NEXT, 0);
            default -> parseNumbered(name);
        };
    }

    /** The numbers of the files of one kind. */
    public static List<Long> numbers(List<String> names, Kind kind) {
        return names.stream()
                .map(FileNames::parse)
                .filter(name -> name.kind() == kind)
                .map(Name::number)
                .toList();
    }

    private static Name parseNumbered(String name) {
        Name foreign = new Name(Kind.FOREIGN, 0);
        if (name.length() <= DIGITS) {
            return foreign;
        }
        Kind kind =
                switch (name.substring(DIGITS)) {
                    case LOG_SUFFIX -> Kind.LOG;
                    case TABLE_SUFFIX -> Kind.TABLE;
                    case MANIFEST_SUFFIX -> Kind.MANIFEST;
                    default -> Kind.FOREIGN;
                };
        long number = 0;
        for (int i = 0; i < DIGITS; i++) {
            char c = name.charAt(i);
            boolean lowerHex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
            if (!lowerHex) {
                return foreign;
            }
            number = number << 4 | Character.digit(c, 16);
        }
        return kind == Kind.FOREIGN || number < 0 ? foreign : new Name(kind, number);
    }
}
