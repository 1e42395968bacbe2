package dev.quorate.loadtest.profile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;

/** async-profiler's native library, which its jar has for some systems. */
public final class ProfilerLibrary {

    private static final String LINUX = "libasyncProfiler.so";

    private ProfilerLibrary() {}

    /** Whether there is one for this system. */
    public static boolean isAvailable() {
        return resource(System.getProperty("os.name", ""), System.getProperty("os.arch", ""))
                .isPresent();
    }

    /**
     * Puts the library for this system into a folder.
     *
     * @return where it is, or nothing if there is none for this system
     */
    public static Optional<Path> extract(Path folder) throws IOException {
        return extract(
                folder, System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static Optional<Path> extract(Path folder, String system, String processor) throws IOException {
        Optional<String> resource = resource(system, processor);
        if (resource.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = ProfilerLibrary.class.getResourceAsStream(resource.get())) {
            if (in == null) {
                return Optional.empty();
            }
            Path library = folder.resolve(LINUX).toAbsolutePath();
            Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
            return Optional.of(library);
        }
    }

    private static Optional<String> resource(String system, String processor) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.startsWith("mac")) {
            return Optional.of("/macos/" + LINUX);
        }
        if (!name.startsWith("linux")) {
            return Optional.empty();
        }
        return switch (processor) {
            case "amd64", "x86_64" -> Optional.of("/linux-x64/" + LINUX);
            case "aarch64", "arm64" -> Optional.of("/linux-arm64/" + LINUX);
            default -> Optional.empty();
        };
    }
}
