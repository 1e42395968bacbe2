package dev.quorate.node.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.primitives.Bytes;
import dev.quorate.node.tls.TlsContext.InvalidTlsException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsContextTest {

    private static final String NAMES = "dns:localhost,ip:127.0.0.1";

    private static TestCa ca;
    private static TlsContext.Files good;

    @BeforeAll
    static void issue(@TempDir Path folder) throws Exception {
        ca = new TestCa(folder);
        good = ca.issue(NAMES);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void assertRefused(TlsContext.Files files, String why) {
        assertThatThrownBy(() -> TlsContext.of(files))
                .isInstanceOf(InvalidTlsException.class)
                .hasMessageContaining(why);
    }

    @Test
    void enginesHaveModernVersionsAndCiphersAlone() throws Exception {
        TlsContext context = TlsContext.of(good);
        for (SSLEngine engine :
                new SSLEngine[] {
                    context.forClient(), context.forPeer(), context.toPeer("localhost", 1)
                }) {
            assertThat(engine.getEnabledProtocols()).containsOnly("TLSv1.3", "TLSv1.2");
            assertThat(engine.getEnabledCipherSuites())
                    .allMatch(
                            suite ->
                                    suite.matches(
                                            "TLS_(ECDHE_(RSA|ECDSA)_WITH_)?(AES_(128|256)_GCM|CHACHA20_POLY1305)_SHA(256|384)"));
        }
        assertThat(context.forClient().getNeedClientAuth()).isFalse();
        assertThat(context.forPeer().getNeedClientAuth()).isTrue();
    }

    @Test
    void rsaKeysAndChainsAreTakenToo() throws Exception {
        TlsContext.Files rsa = ca.issue(NAMES, "-1d", "30", "RSA");
        byte[] chain = new byte[rsa.certificate().length + ca.certificate().length];
        System.arraycopy(rsa.certificate(), 0, chain, 0, rsa.certificate().length);
        System.arraycopy(
                ca.certificate(), 0, chain, rsa.certificate().length, ca.certificate().length);
        assertThat(TlsContext.of(new TlsContext.Files(chain, rsa.key(), null))).isNotNull();
    }

    @Test
    void badFilesAreRefusedWithTheNameOfTheirSetting() throws Exception {
        byte[] nothing = {};
        assertRefused(new TlsContext.Files(nothing, good.key(), null), "tls-certificate has no");
        assertRefused(new TlsContext.Files(bytes("x"), good.key(), null), "tls-certificate");
        assertRefused(new TlsContext.Files(good.key(), good.key(), null), "tls-certificate");
        assertRefused(new TlsContext.Files(good.certificate(), nothing, null), "tls-key has no");
        assertRefused(
                new TlsContext.Files(
                        good.certificate(),
                        bytes("-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----"),
                        null),
                "openssl pkcs8");
        assertRefused(
                new TlsContext.Files(
                        good.certificate(),
                        bytes("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"),
                        null),
                "tls-key is not a private EC key");
        assertRefused(
                new TlsContext.Files(good.certificate(), good.key(), nothing), "tls-ca has no");
        TlsContext.Files other = ca.issue(NAMES);
        assertRefused(
                new TlsContext.Files(good.certificate(), other.key(), null),
                "tls-key is not the key of tls-certificate");
        assertRefused(ca.issueExpired(NAMES), "tls-certificate expired at 20");
        assertRefused(ca.issue(NAMES, "+1d", "2", "EC"), "tls-certificate is valid from 20");
    }

    /** A file of an old and a new CA remains usable when the old one expires. */
    @Test
    void anExpiredCaIsIgnoredBesideAValidOne(@TempDir Path folder) throws Exception {
        byte[] expired = new TestCa(folder, "-10d", "5").certificate();
        byte[] both = Bytes.concat(expired, ca.certificate());
        assertThat(daysLeft(new TlsContext.Files(good.certificate(), good.key(), both)))
                .isBetween(28.0, 29.1);
        assertRefused(
                new TlsContext.Files(good.certificate(), good.key(), expired),
                "tls-ca expired at 20");
        byte[] chain = Bytes.concat(good.certificate(), expired);
        assertThat(daysLeft(new TlsContext.Files(chain, good.key(), null))).isBetween(-6.0, -4.9);
    }

    /** Until the first certificate of the chain expires. */
    private static double daysLeft(TlsContext.Files files) throws InvalidTlsException {
        TlsContext context = TlsContext.of(files);
        double ends =
                TlsContext.figures(() -> context).value("tls_certificate_expiry_timestamp_seconds");
        return (ends - System.currentTimeMillis() / 1e3) / 86_400;
    }
}
