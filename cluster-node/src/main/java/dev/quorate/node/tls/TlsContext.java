package dev.quorate.node.tls;

import dev.quorate.storage.Figures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A certificate with its key, and the trusted CAs. Immutable. */
public final class TlsContext {

    private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

    /** The lines around a key in PEM (RFC 7468). */
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";

    private static final String END = "-----END PRIVATE KEY-----";

    /** Cipher suites with forward secrecy and authenticated encryption, the cheapest first. */
    private static final String[] CIPHERS = {
        "TLS_AES_128_GCM_SHA256",
        "TLS_AES_256_GCM_SHA384",
        "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    };

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final char[] NO_PASSWORD = {};
    private static final byte[] PROBE = "quorate".getBytes(StandardCharsets.US_ASCII);

    private final SSLContext context;
    private final long endsSeconds;

    private TlsContext(SSLContext context, long endsSeconds) {
        this.context = context;
        this.endsSeconds = endsSeconds;
    }

    /** The figures of the current context. */
    public static Figures figures(Supplier<TlsContext> current) {
        Figures figures = new Figures();
        figures.gauge(
                "tls_certificate_expiry_timestamp_seconds",
                "When the certificate in use expires, or one between it and the CA if that is"
                        + " earlier. Absent without TLS.",
                () -> current.get().endsSeconds);
        return figures;
    }

    /**
     * The content of the settings' files.
     *
     * @param certificate the node's certificate and the intermediate ones
     * @param ca the CA certificates to verify the members with; null without peers
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Files(byte[] certificate, byte[] key, byte @Nullable [] ca) {}

    /**
     * Makes a context.
     *
     * <p>CA certificates that are not valid now are ignored if another is valid, so that a file of
     * an old and a new CA remains usable.
     *
     * @throws InvalidTlsException if a file is invalid, the certificate or all of the CA's are not
     *     valid now, or the key does not match; the message names the setting
     */
    public static TlsContext of(Files files) throws InvalidTlsException {
        List<X509Certificate> chain = certificates("tls-certificate", files.certificate());
        X509Certificate own = chain.getFirst();
        requireValid("tls-certificate", own);
        PrivateKey key = privateKey("tls-key", files.key(), own.getPublicKey());
        try {
            requirePair(own, key);
            KeyStore identity = empty();
            identity.setKeyEntry("node", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(identity, NO_PASSWORD);
            KeyStore trusted = empty();
            if (files.ca() != null) {
                addValid(certificates("tls-ca", files.ca()), trusted);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            long ends =
                    chain.stream()
                            .mapToLong(each -> each.getNotAfter().toInstant().getEpochSecond())
                            .min()
                            .orElseThrow();
            return new TlsContext(context, ends);
        } catch (InvalidTlsException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new InvalidTlsException("tls-certificate cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    /** Adds the certificates that are valid now; at least one must be. */
    private static void addValid(List<X509Certificate> certificates, KeyStore trusted)
            throws KeyStoreException, InvalidTlsException {
        for (X509Certificate each : certificates) {
            try {
                requireValid("tls-ca", each);
                trusted.setCertificateEntry("ca" + trusted.size(), each);
            } catch (InvalidTlsException e) {
                if (trusted.size() == 0 && each.equals(certificates.getLast())) {
                    throw e;
                }
                LOG.warn("{}. That certificate is ignored", e.getMessage());
            }
        }
    }

    private static void requireValid(String setting, X509Certificate certificate)
            throws InvalidTlsException {
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException e) {
            throw new InvalidTlsException(
                    setting + " expired at " + certificate.getNotAfter().toInstant(), e);
        } catch (CertificateNotYetValidException e) {
            throw new InvalidTlsException(
                    setting + " is valid from " + certificate.getNotBefore().toInstant(), e);
        }
    }

    private static void requirePair(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException, InvalidTlsException {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(PROBE);
        if (!signature.verify(signed)) {
            throw new InvalidTlsException("tls-key is not the key of tls-certificate", null);
        }
    }

    /** An engine for a connection of a client, which needs no certificate. */
    public SSLEngine forClient() {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters());
        return engine;
    }

    /** An engine for a connection of a peer, which must have a certificate of the CA. */
    public SSLEngine forPeer() {
        SSLEngine engine = forClient();
        engine.setNeedClientAuth(true);
        return engine;
    }

    /**
     * An engine for a connection to a peer.
     *
     * @param host the name that the peer's certificate must contain
     */
    public SSLEngine toPeer(String host, int port) {
        SSLEngine engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        engine.setSSLParameters(parameters());
        return engine;
    }

    public SSLParameters parameters() {
        SSLParameters parameters = new SSLParameters(CIPHERS, PROTOCOLS);
        parameters.setUseCipherSuitesOrder(true);
        return parameters;
    }

    private static List<X509Certificate> certificates(String setting, byte[] pem)
            throws InvalidTlsException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            for (Certificate each :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem))) {
                certificates.add((X509Certificate) each);
            }
        } catch (CertificateException e) {
            throw new InvalidTlsException(setting + " is not a certificate in PEM", e);
        }
        if (certificates.isEmpty()) {
            throw new InvalidTlsException(setting + " has no certificate", null);
        }
        return certificates;
    }

    private static PrivateKey privateKey(String setting, byte[] pem, PublicKey publicKey)
            throws InvalidTlsException {
        String text = new String(pem, StandardCharsets.ISO_8859_1);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new InvalidTlsException(
                    setting
                            + " has no line '"
                            + BEGIN
                            + "': it must be an unencrypted key in PKCS #8, which openssl pkcs8"
                            + " -topk8 -nocrypt makes of others",
                    null);
        }
        try {
            byte[] key =
                    Base64.getMimeDecoder().decode(text.substring(begin + BEGIN.length(), end));
            return KeyFactory.getInstance(publicKey.getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(key));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new InvalidTlsException(
                    setting
                            + " is not a private "
                            + publicKey.getAlgorithm()
                            + " key, which the certificate needs",
                    e);
        }
    }

    /**
     * A certificate or a key that cannot be used; the message continues after its setting's name.
     */
    static final class InvalidTlsException extends IOException {

        InvalidTlsException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
