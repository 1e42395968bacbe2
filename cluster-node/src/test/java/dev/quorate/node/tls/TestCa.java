package dev.quorate.node.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Signs certificates of a test, by the JDK's keytool. */
public final class TestCa {

    private static final String PASSWORD = "password";

    private final Path folder;
    private final byte[] certificate;
    private int issued;

    /** A new CA, whose files are in that folder. */
    public TestCa(Path folder) throws IOException, InterruptedException {
        this(folder, "-1d", "3650");
    }

    /** A certificate that is valid from a start, for a number of days. */
    TestCa(Path folder, String start, String days) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        keytool("-genkeypair", "-alias", "ca", "-keyalg", "EC", "-groupname", "secp256r1")
                .with("-dname", "CN=test ca", "-ext", "bc:c=ca:true")
                .with("-startdate", start, "-validity", days)
                .run("ca.p12");
        keytool("-exportcert", "-alias", "ca", "-rfc", "-file", file("ca.pem")).run("ca.p12");
        certificate = Files.readAllBytes(folder.resolve("ca.pem"));
    }

    /** The certificate of the CA, in PEM. */
    public byte[] certificate() {
        return certificate.clone();
    }

    /** A certificate and its key for these names, such as {@code dns:localhost,ip:127.0.0.1}. */
    public TlsContext.Files issue(String names) throws IOException, InterruptedException {
        return issue(names, "-1d", "30", "EC");
    }

    /** One that expired five days ago. */
    public TlsContext.Files issueExpired(String names) throws IOException, InterruptedException {
        return issue(names, "-10d", "5", "EC");
    }

    /**
     * Issues a certificate.
     *
     * @param start from now, such as -1d
     * @param days that it is valid
     * @param algorithm of the key: EC or RSA
     */
    public TlsContext.Files issue(String names, String start, String days, String algorithm)
            throws IOException, InterruptedException {
        String name = "node" + ++issued;
        String store = name + ".p12";
        keytool("-genkeypair", "-alias", name, "-keyalg", algorithm, "-dname", "CN=" + name)
                .with(algorithm.equals("EC") ? "-groupname" : "-keysize")
                .with(algorithm.equals("EC") ? "secp256r1" : "2048")
                .run(store);
        keytool("-certreq", "-alias", name, "-file", file(name + ".csr")).run(store);
        keytool("-gencert", "-alias", "ca", "-rfc", "-ext", "san=" + names)
                .with("-infile", file(name + ".csr"), "-outfile", file(name + ".pem"))
                .with("-startdate", start, "-validity", days)
                .run("ca.p12");
        return new TlsContext.Files(
                Files.readAllBytes(folder.resolve(name + ".pem")), key(store, name), certificate);
    }

    private byte[] key(String store, String alias) throws IOException {
        try (InputStream in = Files.newInputStream(folder.resolve(store))) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            byte[] key = keys.getKey(alias, PASSWORD.toCharArray()).getEncoded();
            String text =
                    "-----BEGIN PRIVATE KEY-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key)
                            + "\n-----END PRIVATE KEY-----\n";
            return text.getBytes(StandardCharsets.US_ASCII);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** For clients that trust this CA, and others. */
    public SSLContext client(TestCa... others) throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", x509(certificate));
            for (TestCa other : others) {
                trusted.setCertificateEntry("ca" + trusted.size(), x509(other.certificate));
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Verifies what this CA has signed. */
    public PublicKey publicKey() throws GeneralSecurityException {
        return x509(certificate).getPublicKey();
    }

    private static Certificate x509(byte[] pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem));
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private Keytool keytool(String... words) {
        return new Keytool().with(words);
    }

    private final class Keytool {

        private final List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                                "-J-XX:TieredStopAtLevel=1"));

        Keytool with(@Nullable String... words) {
            command.addAll(List.of(words));
            return this;
        }

        void run(String store) throws IOException, InterruptedException {
            with("-keystore", file(store), "-storetype", "PKCS12", "-storepass", PASSWORD);
            Path output = folder.resolve("output");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command + ": " + Files.readString(output));
            }
        }
    }
}
