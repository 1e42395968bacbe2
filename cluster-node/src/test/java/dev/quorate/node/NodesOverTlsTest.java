package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.tls.TestCa;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.storage.io.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Two nodes that speak TLS with clients and with each other. */
final class NodesOverTlsTest {

    private static final String NAMES = "dns:localhost,ip:127.0.0.1";

    private static TestCa ca;
    private static TestCa otherCa;
    private static TlsContext.Files good;

    @TempDir private Path folder;
    private final List<ClusterNode> nodes = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private int[] ports = {};

    @BeforeAll
    static void issue(@TempDir Path folder) throws Exception {
        ca = new TestCa(folder.resolve("ca"));
        otherCa = new TestCa(folder.resolve("other"));
        good = ca.issue(NAMES);
    }

    @BeforeEach
    void choosePorts() throws IOException {
        int first = FreePorts.inARow(4);
        ports = new int[] {first, first + 2};
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        root().addAppender(log);
    }

    @AfterEach
    void stop() {
        nodes.forEach(ClusterNode::stop);
        root().detachAppender(log);
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private Path write(String name, TlsContext.Files files) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        PrivateFile.replace(home.resolve("key.pem"), files.key());
        PrivateFile.replace(home.resolve("certificate.pem"), files.certificate());
        PrivateFile.replace(home.resolve("ca.pem"), ca.certificate());
        return home;
    }

    private void start(int number, TlsContext.Files files) throws IOException {
        String name = "n" + number;
        Path home = write(name, files);
        Map<String, String> texts = new TreeMap<>();
        texts.put("name", name);
        texts.put(
                "topology", "n1=http://127.0.0.1:" + ports[0] + ",n2=http://localhost:" + ports[1]);
        texts.put("data", home.resolve("data").toString());
        texts.put("secret", "sixteen or more characters");
        texts.put("peer-port-offset", "1");
        texts.put("reserved-disk-bytes", "0");
        texts.put("tls-certificate", home.resolve("certificate.pem").toString());
        texts.put("tls-key", home.resolve("key.pem").toString());
        texts.put("tls-ca", home.resolve("ca.pem").toString());
        texts.put("trust-empty-disk", "true");
        nodes.add(ClusterNode.start(OptionsReader.read(texts), why -> {}));
    }

    private int put(int number) throws IOException {
        try (SSLSocket socket =
                (SSLSocket)
                        ca.client()
                                .getSocketFactory()
                                .createSocket("127.0.0.1", ports[number - 1])) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(
                            "PUT /v0/entity?id=a&replicas=2/2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nv"
                                    .getBytes(StandardCharsets.US_ASCII));
            String status =
                    new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            return Integer.parseInt(status.substring(9));
        }
    }

    private X509Certificate certificateOf(int number) throws IOException {
        try (SSLSocket socket =
                (SSLSocket)
                        ca.client()
                                .getSocketFactory()
                                .createSocket("127.0.0.1", ports[number - 1])) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private boolean isLogged(String text) {
        return log.list.stream().anyMatch(each -> each.getFormattedMessage().contains(text));
    }

    @Test
    void theyReachEachOtherAndPlainPeersAreRefused() throws Exception {
        start(1, good);
        start(2, ca.issue("dns:localhost", "-1d", "30", "RSA"));
        await().until(() -> put(1) == 201);
        assertThat(put(1)).isEqualTo(201);
        try (RawClient plain = new RawClient(ports[0] + 1)) {
            plain.send("GET /peer/v1/exchange HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(plain.read(false).status()).isEqualTo(400);
        }
        // A client has no certificate, which the port for peers demands.
        try (SSLSocket client =
                (SSLSocket)
                        ca.client().getSocketFactory().createSocket("127.0.0.1", ports[0] + 1)) {
            client.setSoTimeout(20_000);
            client.startHandshake();
            client.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(catchEnd(client)).isTrue();
        }
        await().until(() -> isLogged("at the port for peers failed"));
    }

    private static boolean catchEnd(SSLSocket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aPeerOfAnotherCaIsRefusedAndTheLogSaysWhy() throws Exception {
        start(1, good);
        start(2, otherCa.issue(NAMES));
        assertThat(put(1)).isEqualTo(504);
        await().until(() -> isLogged("n2 is down: SSLHandshakeException"));
        await().until(() -> isLogged("does not chain with any of the trust anchors"));
    }

    @Test
    void aPeerWithAnothersNameIsRefusedAndTheLogSaysWhy() throws Exception {
        start(1, good);
        start(2, ca.issue("dns:elsewhere.example"));
        assertThat(put(1)).isEqualTo(504);
        await().until(() -> isLogged("No subject alternative DNS name matching localhost"));
    }

    @Test
    void aChangedCertificateIsUsedWithoutARestartAndABadOneIsNot() throws Exception {
        start(1, good);
        start(2, good);
        await().until(() -> put(1) == 201);
        X509Certificate before = certificateOf(1);
        PrivateFile.replace(folder.resolve("n1/certificate.pem"), new byte[] {'x'});
        await().until(() -> isLogged("Cannot reload TLS; keeping the previous contents"));
        assertThat(certificateOf(1)).isEqualTo(before);
        write("n1", ca.issue(NAMES));
        await().until(() -> !certificateOf(1).equals(before));
        assertThat(put(1)).isEqualTo(201);
        assertThat(put(2)).isEqualTo(201);
    }
}
