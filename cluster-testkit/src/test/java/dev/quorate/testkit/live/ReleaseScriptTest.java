package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.harness.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./release}: what it checks before it builds anything. */
final class ReleaseScriptTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    @TempDir Path scratch;
    private Path sources;

    @BeforeEach
    void commitSources() throws Exception {
        sources = Files.createDirectory(scratch.resolve("sources"));
        Files.copy(ROOT.resolve("release"), sources.resolve("release"));
        Files.writeString(
                sources.resolve("pom.xml"),
                "<project>\n  <version>0.1.0-SNAPSHOT</version>\n</project>\n");
        Files.writeString(
                sources.resolve("CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- All of it.\n");
        git("init", "-q");
        commit();
    }

    private Command.Result run(String... words) throws Exception {
        return new Command(scratch.resolve("out")).run(List.of(words), Duration.ofSeconds(30));
    }

    private void git(String... words) throws Exception {
        List<String> line = new ArrayList<>();
        line.addAll(List.of("git", "-C", sources.toString()));
        line.addAll(List.of("-c", "user.name=x", "-c", "user.email=x@example.org"));
        line.addAll(List.of(words));
        Command.Result result = run(line.toArray(new String[0]));
        assertThat(result.exit()).as(result.output()).isZero();
    }

    private void commit() throws Exception {
        git("add", "-A");
        git("commit", "-q", "-m", "sources");
    }

    private String check(int exit, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(sources.resolve("release").toString()));
        line.addAll(List.of(words));
        Command.Result result = run(line.toArray(new String[0]));
        assertThat(result.exit()).as(result.output()).isEqualTo(exit);
        return result.output();
    }

    private void append(String file, String text) throws IOException {
        Files.writeString(sources.resolve(file), text, StandardOpenOption.APPEND);
    }

    @Test
    void whatIsCommittedCanBeReleased() throws Exception {
        assertThat(check(0, "0.1.0", "--check"))
                .contains("v0.1.0 can be released: 1 entries in CHANGELOG.md");
        assertThat(sources.resolve("target")).doesNotExist();
    }

    @Test
    void aVersionIsThreeNumbers() throws Exception {
        for (String version :
                List.of("", "0.1", "v0.1.0", "0.1.0-rc1", "0.01.0", "0.1.0\nx", "..")) {
            assertThat(check(1, version, "--check")).contains("needs a version such as 0.1.0");
        }
        assertThat(check(1, "--check")).contains("needs a version");
        assertThat(check(1, "0.1.0", "0.2.0", "--check")).contains("takes one version");
        assertThat(check(1, "0.1.0", "--push")).contains("not '--push'");
    }

    @Test
    void changesThatAreNotCommittedStopIt() throws Exception {
        Files.writeString(sources.resolve("new"), "");
        assertThat(check(1, "0.1.0", "--check")).contains("not committed");
    }

    @Test
    void aVersionIsReleasedOnce() throws Exception {
        git("tag", "v0.1.0");
        assertThat(check(1, "0.1.0", "--check")).contains("the tag v0.1.0 is there already");
        assertThat(check(0, "0.1.1", "--check")).contains("v0.1.1 can be released");
    }

    @Test
    void aReleaseChangesSomething() throws Exception {
        Files.writeString(
                sources.resolve("CHANGELOG.md"),
                "# Changelog\n\n## Unreleased\n\n## 0.0.1\n\n- Earlier.\n");
        commit();
        assertThat(check(1, "0.1.0", "--check")).contains("nothing under '## Unreleased'");
    }

    @Test
    void onlyASnapshotIsReleased() throws Exception {
        Files.writeString(
                sources.resolve("pom.xml"), "<project>\n  <version>0.1.0</version>\n</project>\n");
        append("CHANGELOG.md", "- More.\n");
        commit();
        assertThat(check(1, "0.1.0", "--check")).contains("is not a snapshot");
    }
}
