package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command asks a node with TLS. */
final class HttpsTest extends CommandToANode {

    @Override
    String next() {
        return "HTTP/1.1 200 OK\r\n\r\nfine\n";
    }

    private void keytool(String... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/keytool").toString());
        command.add("-J-XX:TieredStopAtLevel=1");
        command.addAll(List.of(words));
        command.addAll(
                List.of("-keystore", directory + "/keys", "-storepass", "password", "-alias", "n"));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @BeforeEach
    void listenWithTls() throws Exception {
        close();
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=n", "-ext", "san=dns:localhost");
        keytool("-exportcert", "-rfc", "-file", directory + "/ca.pem");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("keys"))) {
            keys.load(in, "password".toCharArray());
        }
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "password".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        serve(
                context.getServerSocketFactory()
                        .createServerSocket(0, 10, InetAddress.getLoopbackAddress()));
    }

    private int why(String host, String... more) {
        List<String> words = new ArrayList<>(List.of("why", "a", "--url"));
        words.add("https://" + host + ":" + server.getLocalPort());
        words.addAll(List.of(more));
        return execute("", words.toArray(String[]::new));
    }

    @Test
    void theCaThatIsGivenIsTrustedAndNoOther() throws IOException {
        assertThat(why("localhost", "--ca", directory + "/ca.pem")).as(err.toString()).isZero();
        assertThat(out.toString()).isEqualTo("fine\n");
        asked.clear();
        assertThat(why("localhost")).isEqualTo(2);
        assertThat(err.toString()).contains("unable to find valid certification path");
        assertThat(asked).as("requests").doesNotContain("GET /admin/why?id=a HTTP/1.1");
        Files.writeString(directory.resolve("none"), "x", StandardCharsets.US_ASCII);
        assertThat(why("localhost", "--ca", directory + "/none")).isEqualTo(2);
        assertThat(err.toString()).contains("no certificate");
    }

    @Test
    void theCertificateMustHaveTheNameThatIsAsked() {
        assertThat(why("127.0.0.1", "--ca", directory + "/ca.pem")).isEqualTo(2);
        assertThat(err.toString()).contains("No subject alternative names matching IP address");
    }
}
