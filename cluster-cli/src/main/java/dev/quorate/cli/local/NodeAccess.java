package dev.quorate.cli.local;

import dev.quorate.node.tls.NoTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The token and the trusted certificates of a command. A token is read from a file or the
 * environment, never from an argument, which all users of a machine can list.
 */
public final class NodeAccess implements AutoCloseable {

    /** No token, and Java's trusted certificates. */
    public static final NodeAccess NONE = new NodeAccess(null, null);

    static final String VARIABLE = "QUORATE_TOKEN";
    static final String TOKEN_FILE = "--token-file";
    static final String CA = "--ca";
    private static final int MAX_BYTES = 512;
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,512}");

    private final @Nullable String token;
    private final @Nullable SSLContext tls;
    private final Map<Boolean, HttpClient> clients = new HashMap<>();

    private NodeAccess(@Nullable String token, @Nullable SSLContext tls) {
        this.token = token;
        this.tls = tls;
    }

    /** An option that {@link #of} reads, as does {@link #ca}. */
    public static OptionSpec tokenFile() {
        return Commands.option(
                TOKEN_FILE,
                "FILE",
                "File with the token for the nodes. Default: the environment variable"
                        + " QUORATE_TOKEN.");
    }

    public static OptionSpec ca() {
        return Commands.option(
                CA,
                "FILE",
                "CA certificates (PEM) to verify the nodes with, for https. Default: those"
                        + " that Java trusts.");
    }

    /** The same, with the options that {@link #tokenFile} and {@link #ca} add. */
    public static NodeAccess of(ParseResult parsed, Map<String, String> environment) {
        String token = parsed.matchedOptionValue(TOKEN_FILE, null);
        String ca = parsed.matchedOptionValue(CA, null);
        return of(
                token == null ? null : Path.of(token),
                ca == null ? null : Path.of(ca),
                environment);
    }

    /**
     * Reads the files and the environment.
     *
     * @throws IllegalArgumentException if a file cannot be read, or is invalid
     */
    public static NodeAccess of(
            @Nullable Path file, @Nullable Path ca, Map<String, String> environment) {
        if (file != null) {
            return new NodeAccess(checked("The file " + file, read(file)), tls(ca));
        }
        String token = environment.get(VARIABLE);
        return new NodeAccess(token == null ? null : checked(VARIABLE, token.strip()), tls(ca));
    }

    private static @Nullable SSLContext tls(@Nullable Path file) {
        if (file == null) {
            return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca" + trusted.size(), each);
            }
            if (trusted.size() == 0) {
                throw new IllegalArgumentException("The file " + file + " has no certificate.");
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "The file " + file + " has no certificates in PEM: " + Commands.reason(e));
        }
    }

    /** The token; null without one. */
    public @Nullable String token() {
        return token;
    }

    /** The scheme of a URL without one. */
    String scheme() {
        return tls == null ? "http" : "https";
    }

    /** The context for nodes with or without TLS; null trusts the certificates that Java trusts. */
    public @Nullable SSLContext tls(boolean isTls) {
        return isTls ? tls : NoTls.INSTANCE;
    }

    synchronized HttpClient http(boolean isTls) {
        return clients.computeIfAbsent(
                isTls,
                _ -> {
                    HttpClient.Builder builder =
                            HttpClient.newBuilder()
                                    .version(HttpClient.Version.HTTP_1_1)
                                    .followRedirects(HttpClient.Redirect.NEVER)
                                    .proxy(HttpClient.Builder.NO_PROXY)
                                    .connectTimeout(Duration.ofSeconds(3));
                    SSLContext trusted = tls(isTls);
                    return (trusted == null ? builder : builder.sslContext(trusted)).build();
                });
    }

    /** Ends the threads of the clients, which would delay the exit. */
    @Override
    public synchronized void close() {
        clients.values().forEach(HttpClient::shutdownNow);
    }

    private static String read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException(
                        "The file " + file + " is too long for a token.");
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("The token cannot be read: " + Commands.reason(e));
        }
    }

    private static String checked(String origin, String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    origin + " has no token, which is one word of ASCII.");
        }
        return token;
    }
}
