package dev.quorate.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.primitives.Bytes;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.OptionsReader;
import dev.quorate.node.http.connection.RawClient;
import dev.quorate.node.tls.TestCa;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.storage.io.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    private void write(String name, TlsContext.Files files) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        PrivateFile.replace(home.resolve("key.pem"), files.key());
        PrivateFile.replace(home.resolve("certificate.pem"), files.certificate());
        PrivateFile.replace(home.resolve("ca.pem"), ca.certificate());
    }

    private void start(int number, TlsContext.Files files) throws IOException {
        write("n" + number, files);
        nodes.add(ClusterNode.start(options(number), why -> {}));
    }

    private NodeOptions options(int number) {
        String name = "n" + number;
        Path home = folder.resolve(name);
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
        return OptionsReader.read(texts);
    }

    private int put(int number) throws IOException {
        String answer =
                answer(
                        number,
                        "PUT /v0/entity?id=a&replicas=2/2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1"
                                + "\r\nConnection: close\r\n\r\nv");
        return Integer.parseInt(answer.substring(9, 12));
    }

    private String metrics(int number) throws IOException {
        return answer(
                number, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }

    /** The whole answer to a request after which the node closes the connection. */
    private String answer(int number, String request) throws IOException {
        try (SSLSocket socket =
                (SSLSocket)
                        ca.client(otherCa)
                                .getSocketFactory()
                                .createSocket("127.0.0.1", ports[number - 1])) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private X509Certificate certificateOf(int number) throws IOException {
        try (SSLSocket socket =
                (SSLSocket)
                        ca.client(otherCa)
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
        long ends = certificateOf(1).getNotAfter().toInstant().getEpochSecond();
        assertThat(metrics(1))
                .containsPattern(
                        "\nquorate_tls_certificate_expiry_timestamp_seconds %.9fE9\n"
                                .formatted(ends / 1e9)
                                .replaceAll("0+E9", "E9"));
        try (RawClient plain = new RawClient(ports[0] + 1)) {
            plain.send("GET /peer/v1/exchange HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(plain.read(false).status()).isEqualTo(400);
        }
        // A client has no certificate, which the port for peers demands.
        try (SSLSocket client =
                (SSLSocket)
                        ca.client(otherCa)
                                .getSocketFactory()
                                .createSocket("127.0.0.1", ports[0] + 1)) {
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
        write("n1", ca.issueExpired(NAMES));
        await().until(
                        () ->
                                isLogged(
                                        "Cannot reload TLS; keeping the previous contents:"
                                                + " tls-certificate expired at"));
        assertThat(certificateOf(1)).isEqualTo(before);
        write("n1", ca.issue(NAMES));
        await().until(() -> !certificateOf(1).equals(before));
        assertThat(put(1)).isEqualTo(201);
        assertThat(put(2)).isEqualTo(201);
    }

    private void replaceCa(byte[] pem) throws IOException {
        long before = reloads();
        for (String name : List.of("n1", "n2")) {
            PrivateFile.replace(folder.resolve(name + "/ca.pem"), pem);
        }
        await().until(() -> reloads() >= before + 2);
    }

    private long reloads() {
        return log.list.stream()
                .filter(each -> each.getFormattedMessage().startsWith("TLS has changed"))
                .count();
    }

    @Test
    void noRequestFailsWhileCertificatesAndTheCaAreReplaced() throws Exception {
        start(1, good);
        start(2, good);
        await().until(() -> put(1) == 201);
        AtomicBoolean ends = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        Queue<String> failed = new ConcurrentLinkedQueue<>();
        Thread load = Thread.ofPlatform().start(() -> use(ends, done, failed));
        TlsContext.Files next = otherCa.issue(NAMES);
        try {
            replaceCa(Bytes.concat(ca.certificate(), otherCa.certificate()));
            PrivateFile.replace(folder.resolve("n1/certificate.pem"), next.certificate());
            await().until(() -> isLogged("contents: tls-key is not the key of tls-certificate"));
            PrivateFile.replace(folder.resolve("n1/key.pem"), next.key());
            PrivateFile.replace(folder.resolve("n2/certificate.pem"), next.certificate());
            PrivateFile.replace(folder.resolve("n2/key.pem"), next.key());
            for (int node : new int[] {1, 2}) {
                await().until(() -> issuedBy(certificateOf(node), otherCa));
            }
            replaceCa(otherCa.certificate());
            int now = done.get();
            await().until(() -> done.get() > now + 4);
        } finally {
            ends.set(true);
            load.join();
        }
        assertThat(failed).isEmpty();
        // Its connections are made anew: each of the two verifies the other by the new CA.
        nodes.removeLast().stop();
        write("n2", next);
        PrivateFile.replace(folder.resolve("n2/ca.pem"), otherCa.certificate());
        nodes.add(ClusterNode.start(options(2), why -> {}));
        await().until(() -> put(2) == 201);
    }

    private void use(AtomicBoolean ends, AtomicInteger done, Queue<String> failed) {
        while (!ends.get()) {
            try {
                int status = put(1 + done.get() % 2);
                if (status != 201 && status != 204) {
                    failed.add(done + ": " + status);
                }
            } catch (IOException e) {
                failed.add(done + ": " + e);
            }
            done.incrementAndGet();
        }
    }

    private static boolean issuedBy(X509Certificate certificate, TestCa issuer) {
        try {
            certificate.verify(issuer.publicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
