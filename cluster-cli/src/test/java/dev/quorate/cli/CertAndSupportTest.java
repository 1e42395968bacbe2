package dev.quorate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./quorate cert} and {@code ./quorate support}, which the launcher runs without Java. */
final class CertAndSupportTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    @TempDir private Path folder;

    private Command.Result run(Path launcher, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(words));
        return new Command(folder.resolve("output")).run(command, Duration.ofSeconds(60));
    }

    private Command.Result cert(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("cert"));
        all.addAll(List.of(words));
        return run(ROOT.resolve("quorate"), all.toArray(String[]::new));
    }

    private static X509Certificate certificate(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    @Test
    void aCaAndCertificatesOfNodesAreMade() throws Exception {
        Assumptions.assumeTrue(Command.find("openssl", System.getenv("PATH")).isPresent());
        Path to = folder.resolve("tls");
        assertThat(cert(to.toString(), "n1=db1.example,10.0.0.1,::1").exit()).isZero();
        X509Certificate ca = certificate(to.resolve("ca.pem"));
        // The CA is used again.
        assertThat(cert(to.toString(), "n2=localhost", "--days", "30").exit()).isZero();
        assertThat(certificate(to.resolve("ca.pem"))).isEqualTo(ca);
        for (String node : List.of("n1", "n2")) {
            X509Certificate made = certificate(to.resolve(node + ".pem"));
            made.verify(ca.getPublicKey());
            assertThat(made.getBasicConstraints()).isEqualTo(-1);
            assertThat(Files.readString(to.resolve(node + ".key"))).contains("BEGIN PRIVATE KEY");
            assertThat(
                            Files.getPosixFilePermissions(
                                    to.resolve(node + ".key"), LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        assertThat(certificate(to.resolve("n1.pem")).getSubjectAlternativeNames())
                .extracting(each -> (Object) each.get(1))
                .containsExactly("db1.example", "10.0.0.1", "0:0:0:0:0:0:0:1");
        byte[] before = Files.readAllBytes(to.resolve("n1.pem"));
        Command.Result again = cert(to.toString(), "n3=db3", "n1=db1.example");
        assertThat(again.exit()).isEqualTo(2);
        assertThat(again.output()).contains("n1.pem exists already").hasLineCount(1);
        assertThat(Files.readAllBytes(to.resolve("n1.pem"))).isEqualTo(before);
        assertThat(to.resolve("n3.pem")).doesNotExist();
    }

    @Test
    void invalidArgumentsOfCertMakeNothing() throws Exception {
        for (List<String> words :
                List.of(
                        List.<String>of(),
                        List.of(folder + "/tls"),
                        List.of(folder + "/tls", "n1"),
                        List.of(folder + "/tls", "N1=db1"),
                        List.of(folder + "/tls", "n1=db1;x"),
                        List.of(folder + "/tls", "n1=db1", "--days", "x"))) {
            Command.Result result = cert(words.toArray(String[]::new));
            assertThat(result.exit()).as("%s", words).isEqualTo(2);
            assertThat(result.output().strip()).startsWith("quorate: ").hasLineCount(1);
            assertThat(folder.resolve("tls")).doesNotExist();
        }
    }

    /** The launcher with a Java that prints its arguments. */
    private Path launcher() throws IOException {
        Path java = Files.createDirectories(folder.resolve("java/bin"));
        Files.writeString(java.resolveSibling("release"), "JAVA_VERSION=\"25\"\n");
        Path program = Files.writeString(java.resolve("java"), "#!/bin/sh\necho \"said: $*\"\n");
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(home.resolve("lib"));
        Files.createDirectories(home.resolve(".mvn"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
        Path script =
                Files.writeString(
                        home.resolve("quorate"),
                        Files.readString(ROOT.resolve("quorate"))
                                .replaceFirst(
                                        "set -euo pipefail",
                                        "set -euo pipefail; export JAVA_HOME=" + java.getParent()));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    @Test
    void supportWritesAnArchiveWithoutSecrets() throws Exception {
        Path data = Files.createDirectories(folder.resolve("cluster"));
        Files.createDirectories(data.resolve("n1"));
        Files.writeString(data.resolve("n1/node.log"), "a line of n1\n");
        Files.writeString(data.resolve("secret"), "first-secret\n");
        Files.writeString(
                data.resolve("cluster.properties"),
                """
                nodes=3
                option.0=--secret
                option.1=second-secret
                option.2=--secret\\=third-secret
                option.3=--request-timeout
                option.4=500ms
                """);
        Path archive = folder.resolve("support.tar.gz");
        String[] words = {"support", "--data", data.toString(), "--file", archive.toString()};
        assertThat(run(launcher(), words).exit()).isZero();
        Path unpacked = Files.createDirectories(folder.resolve("unpacked"));
        new Command(folder.resolve("output"))
                .run(
                        List.of("tar", "-xzf", archive.toString(), "-C", unpacked.toString()),
                        Duration.ofSeconds(60));
        Path content = unpacked.resolve("quorate-support");
        assertThat(Files.readString(content.resolve("n1-node.log"))).contains("a line of n1");
        assertThat(Files.readString(content.resolve("cluster.properties")))
                .contains("nodes=3", "option.1=***", "option.2=***", "option.4=500ms");
        for (String each :
                List.of("status", "doctor", "member", "events", "log-level", "metrics")) {
            assertThat(Files.readString(content.resolve(each))).contains(each, "--data " + data);
        }
        try (var files = Files.walk(content)) {
            assertThat(files.filter(Files::isRegularFile))
                    .hasSize(9)
                    .noneMatch(file -> contains(file, "-secret"));
        }
        assertThat(run(folder.resolve("home/quorate"), words).exit()).isEqualTo(2);
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).replace("--secret", "").contains(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
