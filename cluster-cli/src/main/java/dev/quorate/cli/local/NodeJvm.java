package dev.quorate.cli.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How Java is started for a node. The launcher script has the same flags, which a test checks. */
final class NodeJvm {

    /** The property with the path of the launcher's AOT cache, if there is one. */
    private static final String CACHE_PROPERTY = "quorate.aot";

    /** The largest heap with the serial collector. */
    private static final long MAX_SERIAL_BYTES = 512L << 20;

    private static final List<String> ALWAYS =
            List.of(
                    // Background threads and compilers give way to those that answer requests.
                    "-XX:ThreadPriorityPolicy=1",
                    "-XX:CompilerThreadPriority=4",
                    // To lower a priority needs no permission, which Java warns about.
                    "-XX:-PrintWarnings",
                    // C2 has two fifths less to compile: at speed sooner (decision 0035).
                    "-XX:FreqInlineSize=150",
                    "-XX:InlineSmallCode=1000",
                    "-XX:MaxInlineLevel=9",
                    "-XX:Tier4BackEdgeThreshold=400000",
                    "-XX:+ExitOnOutOfMemoryError",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private NodeJvm() {}

    static List<String> flags(String heap) {
        List<String> flags = new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap));
        flags.addAll(collector(heap));
        flags.addAll(ALWAYS);
        String cache = System.getProperty(CACHE_PROPERTY, "");
        if (!cache.isEmpty() && Files.exists(Path.of(cache))) {
            // An unsuitable cache is ignored, without a log line.
            flags.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off,cds=off"));
        }
        return flags;
    }

    /**
     * A pause of the serial collector is shorter while the heap is small: it wakes no other thread,
     * and each phase of G1 waits until its workers have a processor (decision 0035).
     */
    private static List<String> collector(String heap) {
        return bytes(heap) <= MAX_SERIAL_BYTES
                ? List.of("-XX:+UseSerialGC", "-XX:NewRatio=1")
                : List.of("-XX:+UseG1GC");
    }

    /** The bytes of a size as Java takes it, such as 128m; saturated. */
    private static long bytes(String size) {
        int last = size.length() - 1;
        int shift =
                switch (size.charAt(last)) {
                    case 'k', 'K' -> 10;
                    case 'm', 'M' -> 20;
                    case 'g', 'G' -> 30;
                    default -> 0;
                };
        String digits = shift == 0 ? size : size.substring(0, last);
        // No machine has as much as can be written in twelve digits.
        return digits.length() > 12 ? Long.MAX_VALUE : Long.parseLong(digits) << shift;
    }
}
