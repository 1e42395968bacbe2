package dev.quorate.testcontainers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate with its key, made by the keytool of the JVM: Java itself has no API
 * for that, and images need not have openssl, which {@code quorate cert} uses. All nodes of a
 * cluster have the same one, which is also the CA.
 *
 * @param pem the certificate
 * @param keyPem the key, in PKCS #8
 * @param context of clients that trust the certificate, and no other one
 */
record TestCertificate(String pem, String keyPem, SSLContext context) {

    private static final String PASSWORD = "password"; // of a file that exists for a second
    private static final int PEM_WIDTH = 64;

    /**
     * Makes a certificate.
     *
     * @param hosts host names and numeric addresses
     * @throws IllegalStateException if keytool fails, for example because a name is invalid
     */
    static TestCertificate create(Collection<String> hosts) {
        String names = hosts.stream().map(TestCertificate::name).collect(Collectors.joining(","));
        try {
            Path folder = Files.createTempDirectory("quorate-certificate");
            Path file = folder.resolve("node.p12");
            try {
                run(file, names);
                return read(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(
                    "There is no certificate for " + names + ": " + e.getMessage(), e);
        }
    }

    private static String name(String host) {
        boolean isAddress = host.matches("[0-9.]+") || host.contains(":");
        return (isAddress ? "ip:" : "dns:") + host;
    }

    private static void run(Path file, String names) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-alias", "node", "-keyalg", "EC"));
        command.addAll(List.of("-groupname", "secp256r1", "-dname", "CN=node of a test"));
        // Clocks of other machines may be behind.
        command.addAll(List.of("-startdate", "-1d", "-validity", "8"));
        command.addAll(List.of("-ext", "san=" + names, "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", file.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        keytool.getOutputStream().close();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException(output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static TestCertificate read(Path file) throws IOException, GeneralSecurityException {
        KeyStore identity = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            identity.load(in, PASSWORD.toCharArray());
        }
        Certificate certificate = identity.getCertificate("node");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("node", certificate);
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return new TestCertificate(
                pem("CERTIFICATE", certificate.getEncoded()),
                pem("PRIVATE KEY", identity.getKey("node", PASSWORD.toCharArray()).getEncoded()),
                context);
    }

    private static String pem(String type, byte[] bytes) {
        String text = Base64.getMimeEncoder(PEM_WIDTH, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, text, type);
    }

    /** Without the key. */
    @Override
    public String toString() {
        return pem;
    }
}
