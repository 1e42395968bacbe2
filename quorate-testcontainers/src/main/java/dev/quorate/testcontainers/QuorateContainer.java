package dev.quorate.testcontainers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.quorate.client.QuorateClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A node in a container: a cluster of one node, or a member of a {@link QuorateClusterContainer}.
 *
 * <pre>{@code
 * try (var node = new QuorateContainer()) {
 *     node.start();
 *     try (var client = node.client()) { ... }
 * }
 * }</pre>
 *
 * <p>The node is ready when {@code start} returns. If it ends before, {@code start} fails with the
 * last lines of its log. Containers in the same network reach it at {@code http://n1:8080}. Its
 * data is in an anonymous volume, which is deleted with the container.
 */
public final class QuorateContainer extends GenericContainer<QuorateContainer> {

    /** The image that {@code docker build -t quorate .} makes of the sources. */
    static final DockerImageName DEFAULT_IMAGE_NAME = DockerImageName.parse("quorate");

    static final int CLIENT_PORT = 8080;

    private static final String FOLDER = "/etc/quorate/";
    private static final String VARIABLE_PREFIX = "QUORATE_";
    private static final String KNOWN_HOSTS = "QUORATE_KNOWN_HOSTS";
    private static final String INSECURE = "QUORATE_INSECURE";

    private final List<InitData> initData = new ArrayList<>();
    private @Nullable AdminToken token;
    private boolean hasTls;
    private @Nullable TestCertificate certificate;

    /** A cluster of one node, of the image {@code quorate}. */
    public QuorateContainer() {
        this(DEFAULT_IMAGE_NAME);
    }

    /**
     * A cluster of one node.
     *
     * @param image such as {@code quorate:0.1.0}
     * @throws IllegalStateException if it is not {@code quorate}
     */
    public QuorateContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /**
     * A cluster of one node.
     *
     * @param image {@code quorate}, or another one that is declared {@code
     *     asCompatibleSubstituteFor("quorate")}
     * @throws IllegalStateException if it is not compatible
     */
    public QuorateContainer(DockerImageName image) {
        this(image, "n1", "n1=http://n1:" + CLIENT_PORT);
    }

    QuorateContainer(DockerImageName image, String name, String topology) {
        super(image);
        image.assertCompatibleWith(DEFAULT_IMAGE_NAME);
        addExposedPort(CLIENT_PORT);
        withNetworkAliases(name);
        withEnv("QUORATE_NAME", name);
        withEnv("QUORATE_TOPOLOGY", topology);
        withEnv("QUORATE_SECRET", "a cluster of a test");
        waitingFor(new ReadyStrategy(this));
    }

    /**
     * Sets an option of {@code quorate node --help}, as {@code withEnv} sets its environment
     * variable. A node that refuses its options fails to start.
     *
     * @param name such as {@code request-timeout}
     * @param value such as {@code 500ms}
     * @throws IllegalArgumentException unless the name consists of lower-case words joined by
     *     dashes
     */
    public QuorateContainer withOption(String name, String value) {
        if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException(
                    "An option is lower-case words joined by dashes, such as request-timeout, not '"
                            + name
                            + "'.");
        }
        return withEnv(VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT), value);
    }

    /**
     * Requires an access token of all clients. This one has the role {@code admin}; {@link #client}
     * sends it. Without this, the node accepts requests without a token.
     *
     * @param text {@code NAME.SECRET}, such as {@code test.secret}; the name consists of 1 to 64
     *     characters a-z, 0-9 and -
     * @throws IllegalArgumentException if it has another form
     */
    public QuorateContainer withToken(String text) {
        token = new AdminToken(text);
        return withOption("token-file", FOLDER + "tokens");
    }

    /**
     * Encrypts connections with a certificate that is made when the container starts. It is valid
     * for a week, for the container's network aliases and {@link #getHost}. {@link #client} trusts
     * it; others use {@link #sslContext} or {@link #certificate}.
     */
    public QuorateContainer withTls() {
        hasTls = true;
        return this;
    }

    /**
     * Writes entries when the node is ready, before {@code start} returns.
     *
     * @param file lines in UTF-8: those of {@code quorate export}, or puts and deletes of {@code
     *     POST /v0/entities} such as {@code {"op":"put","key":"a","value":"1"}}. Entries of an
     *     export get new versions, and those that have expired are skipped. Blank lines are
     *     ignored. {@code MountableFile.forClasspathResource} and {@code Transferable.of} are files
     * @throws IllegalArgumentException if the file cannot be read, or a line is invalid; the
     *     message names the line
     */
    public QuorateContainer withInitData(Transferable file) {
        initData.add(InitData.parse(file));
        return this;
    }

    /** Uses the certificate of the whole cluster. */
    void useCertificate(TestCertificate shared) {
        certificate = shared;
        withCopyToContainer(new NodeFile(shared.pem()), FOLDER + "node.pem");
        withCopyToContainer(new NodeFile(shared.keyPem()), FOLDER + "node.key");
        withOption("tls-certificate", FOLDER + "node.pem");
        withOption("tls-key", FOLDER + "node.key");
        withOption("tls-ca", FOLDER + "node.pem");
    }

    /** The names by which clients and members reach the node. */
    Set<String> hosts() {
        Set<String> hosts = new LinkedHashSet<>(getNetworkAliases());
        hosts.add(getHost());
        return hosts;
    }

    /** Adds what depends on other settings. */
    @Override
    protected void configure() {
        if (!getEnvMap().containsKey(KNOWN_HOSTS)) {
            withEnv(KNOWN_HOSTS, String.join(",", hosts()));
        }
        if (token != null) {
            withCopyToContainer(new NodeFile(token.file()), FOLDER + "tokens");
        } else if (!getEnvMap().containsKey(INSECURE)) {
            withEnv(INSECURE, "true"); // on a port of this machine, for one test
        }
        if (hasTls && certificate == null) {
            useCertificate(TestCertificate.create(hosts()));
        }
    }

    @Override
    protected void containerIsStarted(InspectContainerResponse info, boolean reused) {
        load(initData, List.of(this));
    }

    /** Writes files to nodes that are ready. */
    static void load(List<InitData> files, List<QuorateContainer> nodes) {
        if (!files.isEmpty()) {
            try (QuorateClient client = client(nodes)) {
                files.forEach(each -> each.load(client));
            }
        }
    }

    /**
     * Ends the node as {@code kill -9} does. The container remains, and cannot be started again.
     *
     * @throws IllegalStateException if it does not run
     */
    public void kill() {
        if (getContainerId() == null) {
            throw new IllegalStateException("The container does not run.");
        }
        getDockerClient().killContainerCmd(getContainerId()).exec();
    }

    /** The URL for clients, such as {@code http://localhost:32768}. */
    public URI url() {
        return URI.create(
                (hasTls() ? "https://" : "http://") + getHost() + ":" + getMappedPort(CLIENT_PORT));
    }

    /** The text of {@link #url}. */
    public String getConnectionString() {
        return url().toString();
    }

    /** The access token of {@link #withToken}; empty without one. */
    public Optional<String> token() {
        return Optional.ofNullable(token).map(AdminToken::text);
    }

    /** Whether connections are encrypted. */
    public boolean hasTls() {
        return hasTls || certificate != null;
    }

    /**
     * A new client of the node, with its token and certificate if it has them. The caller closes
     * it.
     */
    public QuorateClient client() {
        return client(List.of(this));
    }

    /** A new client of nodes with the same token and certificate. */
    static QuorateClient client(List<QuorateContainer> nodes) {
        QuorateContainer any = nodes.get(0);
        QuorateClient.Builder client =
                QuorateClient.builder().nodes(nodes.stream().map(QuorateContainer::url).toList());
        if (any.token != null) {
            client.token(any.token.text());
        }
        if (any.certificate != null) {
            client.tls(any.certificate.context());
        }
        return client.build();
    }

    /**
     * The TLS context of a client that trusts the node's certificate, and no other one.
     *
     * @throws IllegalStateException without {@link #withTls}, or before the first start
     */
    public SSLContext sslContext() {
        return requireCertificate().context();
    }

    /**
     * The node's certificate (PEM), for clients that take a file of trusted certificates.
     *
     * @throws IllegalStateException without {@link #withTls}, or before the first start
     */
    public String certificate() {
        return requireCertificate().pem();
    }

    private TestCertificate requireCertificate() {
        if (certificate == null) {
            throw new IllegalStateException(
                    hasTls
                            ? "The certificate is made when the container starts."
                            : "The node has no certificate: withTls() gives it one.");
        }
        return certificate;
    }

    @Nullable SSLContext trust() {
        return certificate == null ? null : certificate.context();
    }
}
