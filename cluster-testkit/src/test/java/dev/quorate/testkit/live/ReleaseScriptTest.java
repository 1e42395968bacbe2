package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.quorate.harness.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code ./release}: what it checks, before it builds anything and after. A script takes the place
 * of Maven, and makes in a second what a build leaves.
 */
final class ReleaseScriptTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    private static final String SUMS = ".ci/dependencies.sha256";
    private static final String NOBODY = "http://127.0.0.1:1";

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

    /** The rest of what a release is made of; the image is left out. */
    private void addBuild() throws Exception {
        for (String file :
                List.of("LICENSE", ".mvn/find-jdk.sh", ".ci/DependencyCheck.java", "Dockerfile")) {
            Files.createDirectories(sources.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), sources.resolve(file));
        }
        Files.writeString(sources.resolve("quorate"), "#!/bin/sh\necho quorate 0.1.0\n");
        Files.writeString(sources.resolve("README.md"), "");
        Files.writeString(sources.resolve(".gitignore"), "target\n");
        Files.writeString(
                sources.resolve("mvnw"),
                """
                #!/bin/sh
                case " $* " in
                  *makeAggregateBom*)
                    mkdir -p target
                    cp bom.xml target/quorate-0.1.0-sbom.xml
                    echo '{}' >target/quorate-0.1.0-sbom.json ;;
                  *" -Pman "*)
                    mkdir -p cluster-cli/target/man/man1
                    echo .TH >cluster-cli/target/man/man1/quorate.1 ;;
                  *)
                    mkdir -p cluster-cli/target/dist/lib quorate-client/target
                    cp jars/* cluster-cli/target/dist/lib/
                    echo client >quorate-client/target/quorate-client-0.1.0.jar ;;
                esac
                """);
        for (String program : List.of("mvnw", "quorate", "release")) {
            assertThat(sources.resolve(program).toFile().setExecutable(true)).isTrue();
        }
        Files.createDirectory(sources.resolve("jars"));
        Files.writeString(sources.resolve("jars/cluster-cli-0.1.0.jar"), "own");
        Files.writeString(sources.resolve("jars/fast-1.2.jar"), "fast");
        bill(component("org.example", "fast", "1.2", "MIT", sha256("fast")));
        Files.writeString(sources.resolve(SUMS), sha256("fast") + "  fast-1.2.jar\n");
        commit();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(
                        MessageDigest.getInstance("SHA-256")
                                .digest(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String component(
            String group, String name, String version, String licence, String sha256) {
        return """
                <component type="library">
                  <group>%s</group><name>%s</name><version>%s</version>
                  <hashes><hash alg="MD5">0</hash><hash alg="SHA-256">%s</hash></hashes>
                  <licenses><license><id>%s</id></license></licenses>
                </component>
                """
                .formatted(group, name, version, sha256, licence);
    }

    private void bill(String... components) throws IOException {
        String own = component("dev.quorate", "cluster-cli", "0.1.0", "Apache-2.0", "");
        Files.writeString(
                sources.resolve("bom.xml"),
                "<bom><metadata><component><group>x</group></component></metadata><components>"
                        + own
                        + String.join("", components)
                        + "</components></bom>");
    }

    private String release(int exit, String osv, String... words) throws Exception {
        List<String> line = new ArrayList<>();
        line.addAll(List.of("env", "OSV_URL=" + osv, "DOCKER_HOST=unix:///nowhere"));
        line.add(sources.resolve("release").toString());
        line.add("0.1.0");
        line.addAll(List.of(words));
        Command.Result result = run(line.toArray(new String[0]));
        assertThat(result.exit()).as(result.output()).isEqualTo(exit);
        return result.output();
    }

    private boolean isTagged() throws Exception {
        return !run("git", "-C", sources.toString(), "tag", "--list").output().isBlank();
    }

    private String notes() throws IOException {
        return Files.readString(sources.resolve("target/release/0.1.0/quorate-0.1.0-notes.txt"));
    }

    /** A vulnerability database that gives the same answer to every question. */
    private static final class Database implements AutoCloseable {

        private final HttpServer server;
        private final List<String> questions = new CopyOnWriteArrayList<>();

        Database(int status, String answer) throws IOException {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext(
                    "/v1/query",
                    exchange -> {
                        questions.add(
                                new String(
                                        exchange.getRequestBody().readAllBytes(),
                                        StandardCharsets.US_ASCII));
                        byte[] bytes = answer.getBytes(StandardCharsets.US_ASCII);
                        exchange.sendResponseHeaders(status, bytes.length);
                        exchange.getResponseBody().write(bytes);
                        exchange.close();
                    });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private Command.Result run(String... words) throws Exception {
        return new Command(scratch.resolve("out")).run(List.of(words), Duration.ofMinutes(2));
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

    @Test
    void aReleaseHasAnArchiveABillNotesAndChecksums() throws Exception {
        addBuild();
        try (Database database = new Database(200, "{}")) {
            assertThat(release(0, database.url()))
                    .contains("there is no image: no container engine answers");
            assertThat(database.questions)
                    .containsExactly("{\"package\":{\"purl\":\"pkg:maven/org.example/fast@1.2\"}}");
            assertThat(notes())
                    .contains("dependencies: 1", "licences: {MIT=1}", "checksums: 1 jars")
                    .contains("vulnerabilities: " + database.url() + " was asked about 1")
                    .contains("image: none, as no container engine answered");
        }
        assertThat(isTagged()).isTrue();
        Path out = sources.resolve("target/release/0.1.0");
        assertThat(Files.readString(out.resolve("SHA256SUMS")).lines())
                .hasSize(4)
                .allMatch(line -> line.matches("[0-9a-f]{64}  quorate-.*"));
        assertThat(out.resolve("first")).doesNotExist();
    }

    @Test
    void twoBuildsThatDifferAreNoRelease() throws Exception {
        addBuild();
        append("mvnw", "pwd >>cluster-cli/target/dist/lib/fast-1.2.jar\n");
        commit();
        assertThat(release(1, "", "--dry-run", "--no-dependency-check"))
                .contains("the two builds differ");
    }

    @Test
    void aDependencyWithAKnownVulnerabilityStopsIt() throws Exception {
        addBuild();
        String answer =
                "{\"vulns\":[{\"id\":\"GHSA-aaaa-bbbb-cccc\",\"aliases\":[\"CVE-2026-1\"]}]}";
        try (Database database = new Database(200, answer)) {
            assertThat(release(1, database.url()))
                    .contains("org.example:fast:1.2 has known vulnerabilities")
                    .contains("GHSA-aaaa-bbbb-cccc");
        }
        assertThat(isTagged()).isFalse();
    }

    /** A portal's page with status 200 is not an answer that nothing is known. */
    @ParameterizedTest
    @CsvSource({"200, <html>", "500, {}", "200, ''", "0, ''"})
    void withoutADatabaseNothingIsTagged(int status, String answer) throws Exception {
        addBuild();
        try (Database database = new Database(Math.max(status, 200), answer)) {
            String url = status == 0 ? NOBODY : database.url();
            assertThat(release(1, url)).contains("--no-dependency-check");
            assertThat(isTagged()).isFalse();
            assertThat(release(0, url, "--dry-run"))
                    .contains("known vulnerabilities are not checked");
            assertThat(notes()).contains("vulnerabilities: not checked, as " + url);
            assertThat(release(0, url, "--no-dependency-check", "--no-image")).contains("tagged");
        }
        assertThat(notes())
                .contains("vulnerabilities: not checked, as --no-dependency-check says")
                .contains("image: none, as --no-image says");
        assertThat(isTagged()).isTrue();
    }

    @Test
    void whatIsWrongInTheBillIsFoundWithoutANetwork() throws Exception {
        addBuild();
        String fast = component("org.example", "fast", "1.2", "MIT", sha256("fast"));
        assertThat(wrong(component("org.example", "fast", "1.2-SNAPSHOT", "MIT", "")))
                .contains("org.example:fast:1.2-SNAPSHOT is a snapshot")
                .contains("fast-1.2.jar is released, and not in the bill of materials");
        assertThat(wrong(fast, component("org.example", "fast", "1.1", "MIT", "")))
                .contains("org.example:fast:1.1 is there as 1.2 too");
        assertThat(wrong(component("org.example", "fast", "1.2", "GPL-3.0-only", sha256("fast"))))
                .contains("has the licence [GPL-3.0-only], which is not one of");
        assertThat(wrong(component("org.example", "fast", "1.2", "", sha256("fast"))))
                .contains("has the licence []");
        assertThat(wrong(component("org.example", "fast", "1.2", "MIT", sha256("slow"))))
                .contains("fast-1.2.jar is not the file in the bill of materials");
        assertThat(wrong()).contains("The bill of materials has no dependencies");
        bill(fast);
        Files.writeString(sources.resolve(SUMS), sha256("slow") + "  fast-1.2.jar\n");
        commit();
        assertThat(release(1, "", "--dry-run", "--no-dependency-check"))
                .contains("fast-1.2.jar has not the checksum in dependencies.sha256")
                .contains("its line is: " + sha256("fast") + "  fast-1.2.jar");
        Files.writeString(
                sources.resolve(SUMS),
                sha256("fast") + "  fast-1.2.jar\n" + sha256("fast") + "  other-1.jar\n");
        commit();
        assertThat(release(1, "", "--dry-run", "--no-dependency-check"))
                .contains("other-1.jar is in dependencies.sha256, and is not released");
    }

    private String wrong(String... components) throws Exception {
        bill(components);
        commit();
        return release(1, "", "--dry-run", "--no-dependency-check");
    }

    /** Where an engine answers that has the base image. */
    @Test
    void theImageHasTheFilesOfTheArchive() throws Exception {
        addBuild();
        String base = "eclipse-temurin:25-jre";
        boolean isThere = run("sh", "-c", "docker image inspect " + base).exit() == 0;
        assumeTrue(isThere, "no container engine has " + base);
        Command.Result result =
                run(
                        sources.resolve("release").toString(),
                        "0.1.0",
                        "--dry-run",
                        "--no-dependency-check");
        assertThat(result.exit()).as(result.output()).isZero();
        assertThat(notes())
                .contains("image: quorate:0.1.0, in quorate-0.1.0-image.tar.gz")
                .containsPattern("image id: sha256:[0-9a-f]{64}")
                .containsPattern("base image: .*sha256:[0-9a-f]{64}");
        assertThat(sources.resolve("target/release/0.1.0/quorate-0.1.0-image.tar.gz")).exists();
        assertThat(run("docker", "image", "inspect", "quorate:0.1.0").exit())
                .as("a rehearsal leaves no image")
                .isNotZero();
    }
}
