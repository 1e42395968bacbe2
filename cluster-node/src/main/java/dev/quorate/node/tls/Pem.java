package dev.quorate.node.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads certificates and private keys from PEM (RFC 7468). */
final class Pem {

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";

    private Pem() {}

    /** All certificates, of which there is at least one. */
    static List<X509Certificate> certificates(String setting, byte[] pem)
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

    /** The private key of that public one. */
    static PrivateKey privateKey(String setting, byte[] pem, PublicKey publicKey)
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
}
