package dev.quorate.cli.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How Java is started for a node. The launcher script has the same flags, which a test checks. */
final class NodeJvm {

    /** The property with the path of the launcher's AOT cache, if there is one. */
    private static final String CACHE_PROPERTY = "quorate.aot";

    private NodeJvm() {}

    static List<String> flags(String heap) {
        List<String> flags = new ArrayList<>(always(heap));
        String cache = System.getProperty(CACHE_PROPERTY, "");
        if (!cache.isEmpty() && Files.exists(Path.of(cache))) {
            // An unsuitable cache is ignored, without a log line.
            flags.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off,cds=off"));
        }
        return flags;
    }

    private static List<String> always(String heap) {
        return List.of(
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
    }
}
