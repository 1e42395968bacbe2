package dev.quorate.cli.local;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * How a command may use nodes: with which token, and whose certificates it trusts. Tokens come from
 * a file or the environment, never from an argument, which all users of a machine can list.
 */
public final class NodeAccess {

    /** Without a token. */
    public static final NodeAccess NONE = new NodeAccess(null, null);

    private static final String VARIABLE = "QUORATE_TOKEN";
    private static final String TOKEN_FILE = "--token-file";
    private static final String CA = "--ca";
    private static final int MAX_BYTES = 512;
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,512}");

    private final @Nullable String token;
    private final @Nullable SSLContext tls;

    private NodeAccess(@Nullable String token, @Nullable SSLContext tls) {
        this.token = token;
        this.tls = tls;
    }

    /** Adds the options from which {@link #of} reads. */
    public static void addOptions(CommandSpec spec) {
        spec.addOption(
                OptionSpec.builder(TOKEN_FILE)
                        .type(String.class)
                        .paramLabel("FILE")
                        .description(
                                "What this file contains is the token for the nodes. Default: the"
                                        + " environment's QUORATE_TOKEN.")
                        .build());
        spec.addOption(
                OptionSpec.builder(CA)
                        .type(String.class)
                        .paramLabel("FILE")
                        .description(
                                "The certificates, in PEM, of those who sign the nodes', for https."
                                        + " Default: those that Java trusts.")
                        .build());
    }

    /**
     * As the options and the environment say.
     *
     * @throws InvalidException if a file cannot be read, or has no token
     */
    public static NodeAccess of(ParseResult parsed, Map<String, String> environment)
            throws InvalidException {
        String file = parsed.matchedOptionValue(TOKEN_FILE, null);
        if (file != null) {
            return new NodeAccess(checked("The file " + file, read(file)), tls(parsed));
        }
        String token = environment.get(VARIABLE);
        return new NodeAccess(token == null ? null : checked(VARIABLE, token.strip()), tls(parsed));
    }

    /** The message is for the user. */
    public static final class InvalidException extends Exception {

        private static final long serialVersionUID = 1;

        InvalidException(String message) {
            super(message);
        }
    }

    private static @Nullable SSLContext tls(ParseResult parsed) throws InvalidException {
        String file = parsed.matchedOptionValue(CA, null);
        if (file == null) {
            return null;
        }
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca" + trusted.size(), each);
            }
            if (trusted.size() == 0) {
                throw new InvalidException("The file " + file + " has no certificate.");
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new InvalidException(
                    "The file " + file + " has no certificates in PEM: " + e.getMessage() + ".");
        }
    }

    /**
     * Connects to a node.
     *
     * @param isTls whether its URL is one of https: then its certificate must have the host's name
     * @throws IOException if it cannot be reached, or its certificate is refused
     */
    public Socket connect(
            String host, int port, boolean isTls, int connectMillis, int timeoutMillis)
            throws IOException {
        Socket plain = new Socket();
        try {
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new IOException("no machine is called " + host);
            }
            plain.connect(address, connectMillis);
            plain.setSoTimeout(timeoutMillis);
            plain.setTcpNoDelay(true);
            if (!isTls) {
                return plain;
            }
            SSLSocketFactory factory =
                    tls == null
                            ? (SSLSocketFactory) SSLSocketFactory.getDefault()
                            : tls.getSocketFactory();
            String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            SSLSocket socket = (SSLSocket) factory.createSocket(plain, name, port, true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            plain.close();
            throw e;
        }
    }

    private static String read(String file) throws InvalidException {
        try {
            if (Files.size(Path.of(file)) > MAX_BYTES) {
                throw new InvalidException("The file " + file + " is too long for a token.");
            }
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new InvalidException("The file " + file + " cannot be read: " + e + ".");
        }
    }

    private static String checked(String origin, String token) throws InvalidException {
        if (!TOKEN.matcher(token).matches()) {
            throw new InvalidException(origin + " has no token, which is one word of ASCII.");
        }
        return token;
    }

    /** The header lines that a request needs. */
    public List<String> headers() {
        return token == null ? List.of() : List.of("Authorization: Bearer " + token);
    }
}
