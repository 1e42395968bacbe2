package dev.quorate.node;

import dev.quorate.node.access.Authentication;
import dev.quorate.node.access.TokenFile;
import dev.quorate.node.config.NodeOption;
import dev.quorate.node.config.NodeOptions;
import dev.quorate.node.config.Secret;
import dev.quorate.node.tls.TlsContext;
import dev.quorate.router.runtime.Followed;
import dev.quorate.router.runtime.Repeated;
import dev.quorate.router.runtime.Scheduler;
import dev.quorate.storage.io.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The files of settings, which a node rereads when they change.
 *
 * @param background one thread, which may wait for the disk
 * @param parts ends the checks
 */
record FollowedFiles(Scheduler scheduler, Executor background, Parts parts) {

    private static final int MAX_PEM_BYTES = 1 << 20;

    /**
     * Authentication by the tokens of the file; without a file, of any client.
     *
     * @throws IOException if the file cannot be used
     */
    Authentication authentication(NodeOptions options) throws IOException {
        Path file = options.find(NodeOption.TOKEN_FILE);
        return file == null
                ? Authentication.none()
                : Authentication.by(follow("token-file", new TokenFile(file)));
    }

    /**
     * Supplies the current secret; null in a cluster of one without a secret.
     *
     * @throws IOException if its file cannot be used
     */
    @Nullable Supplier<Secret> secret(NodeOptions options) throws IOException {
        Secret given = options.secret();
        Path file = given == null ? null : given.file();
        if (given == null || file == null) {
            return given == null ? null : () -> given;
        }
        return follow(
                "secret-file",
                new Followed.Source<>() {
                    @Override
                    public Object stamp() throws IOException {
                        return PrivateFile.stamp(file);
                    }

                    @Override
                    public Secret read() throws IOException {
                        return Secret.read(file);
                    }
                });
    }

    /**
     * Supplies the node's current certificate; null without TLS.
     *
     * @throws IOException if its files cannot be used
     */
    @Nullable Supplier<TlsContext> tls(NodeOptions options) throws IOException {
        Path certificate = options.find(NodeOption.TLS_CERTIFICATE);
        return certificate == null
                ? null
                : follow(
                        "TLS",
                        tls(
                                certificate,
                                options.get(NodeOption.TLS_KEY),
                                options.find(NodeOption.TLS_CA)));
    }

    /** Reads the files together: between two changes, key and certificate may not match. */
    private static Followed.Source<TlsContext> tls(Path certificate, Path key, @Nullable Path ca) {
        return new Followed.Source<>() {
            @Override
            public Object stamp() throws IOException {
                List<Object> stamps = new ArrayList<>();
                stamps.add(PrivateFile.stamp(certificate));
                stamps.add(PrivateFile.stamp(key));
                if (ca != null) {
                    stamps.add(PrivateFile.stamp(ca));
                }
                return stamps;
            }

            @Override
            public TlsContext read() throws IOException {
                return TlsContext.of(
                        new TlsContext.Files(
                                PrivateFile.readPublic(certificate, MAX_PEM_BYTES),
                                PrivateFile.read(key, MAX_PEM_BYTES),
                                ca == null ? null : PrivateFile.readPublic(ca, MAX_PEM_BYTES)));
            }
        };
    }

    private <T> Followed<T> follow(String name, Followed.Source<T> source) throws IOException {
        Followed<T> followed;
        try {
            followed = Followed.first(name, source);
        } catch (IOException e) {
            throw new IOException(name + " cannot be used: " + e.getMessage(), e);
        }
        parts.add(new Repeated(followed::check, Duration.ofSeconds(1), scheduler, background));
        return followed;
    }
}
