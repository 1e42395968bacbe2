package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Maven reads the {@code pom.xml} of each module, so the image's build needs them all. */
class DockerfileTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");

    @Test
    void allModulesAreCopied() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        List<String> modules =
                MODULE.matcher(pom).results().map((MatchResult found) -> found.group(1)).toList();
        assertThat(modules).contains("cluster-node");
        assertThat(Files.readAllLines(ROOT.resolve("Dockerfile")))
                .containsAll(
                        modules.stream()
                                .map(module -> "COPY " + module + "/pom.xml " + module + "/")
                                .toList());
        assertThat(Files.readAllLines(ROOT.resolve(".dockerignore")))
                .containsAll(modules.stream().map(module -> "!" + module + "/pom.xml").toList());
    }
}
