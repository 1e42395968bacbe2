package dev.quorate.loadtest.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Text as it was when somebody last looked at it. What differs is written to {@code target/golden}:
 * whoever likes it better copies it to the test's resources.
 */
public final class Golden {

    private Golden() {}

    /** The text is that of the file. */
    public static void assertGolden(String file, String text) throws IOException {
        String golden;
        try (InputStream in = Golden.class.getResourceAsStream(file)) {
            golden = in == null ? "" : new String(in.readAllBytes(), UTF_8);
        }
        if (!text.equals(golden)) {
            Path actual = Path.of("target", "golden", file);
            Files.createDirectories(actual.getParent());
            Files.writeString(actual, text);
        }
        assertThat(text).isEqualTo(golden);
    }
}
