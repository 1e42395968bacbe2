package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How Java is started for a node, by the supervisor and by the script. */
final class NodeJvmTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    @TempDir private Path folder;

    @Test
    void aSmallHeapHasTheSerialCollector() {
        for (String small : List.of("64m", "512M", "524288k", "536870912")) {
            assertThat(NodeProcesses.jvmFlags(small))
                    .contains("-XX:+UseSerialGC")
                    .contains("-Xmx" + small);
        }
        for (String large :
                List.of("513m", "1g", "524289K", "536870913", "99999999999999999999g")) {
            assertThat(NodeProcesses.jvmFlags(large))
                    .contains("-XX:+UseG1GC")
                    .contains("-Xmx" + large);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "64m",
                "128m",
                "512M",
                "513m",
                "1g",
                "4G",
                "524288k",
                "524289K",
                "536870912",
                "536870913",
                "99999999999999999999g"
            })
    void theScriptHasTheSameFlags(String heap) throws Exception {
        assertThat(flagsOfTheScript(heap)).isEqualTo(NodeProcesses.jvmFlags(heap));
    }

    /** Up to the class path; from an installation, as in an image, so that nothing is built. */
    private List<String> flagsOfTheScript(String heap) throws Exception {
        Path home = Files.createDirectories(folder.resolve("home/lib")).getParent();
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Path script = home.resolve("quorate");
        Files.copy(ROOT.resolve("quorate"), script, StandardCopyOption.COPY_ATTRIBUTES);
        Path jdk = folder.resolve("jdk");
        Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
        Path output = folder.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(script.toString(), "node")
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("QUORATE_HEAP", heap);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        List<String> arguments = Files.readAllLines(output);
        assertThat(arguments).contains("-cp");
        return arguments.subList(0, arguments.indexOf("-cp"));
    }
}
