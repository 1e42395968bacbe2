package dev.quorate.cli.backup;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of a checkpoint, as its node describes it.
 *
 * @param path relative to the checkpoint
 * @param sha256 in hexadecimal digits
 */
record FileSum(String path, long bytes, String sha256) {

    private static final Pattern LINE =
            Pattern.compile(
                    "([0-9a-f]{64}) ([0-9]{1,18})"
                            + " ([A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?)");

    /**
     * Reads a line of {@code /admin/checkpoint/files}.
     *
     * @throws IOException if it is none
     */
    static FileSum parse(String line) throws IOException {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IOException("it lists a file that is none of a checkpoint");
        }
        return new FileSum(matcher.group(3), Long.parseLong(matcher.group(2)), matcher.group(1));
    }

    /** Whether it is a sorted table: it never changes, so several backups may share it. */
    boolean isTable() {
        return path.endsWith(".sst");
    }
}
