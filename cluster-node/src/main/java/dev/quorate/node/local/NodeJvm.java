package dev.quorate.node.local;

import java.util.List;

/** How Java is started for a node. The launcher script has the same flags, which a test checks. */
final class NodeJvm {

    private NodeJvm() {}

    static List<String> flags(String heap) {
        return List.of(
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+UseG1GC",
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
    }
}
