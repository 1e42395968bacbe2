package dev.quorate.spring;

import java.net.URI;
import java.util.List;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** The services of Docker Compose whose image is {@code quorate}, without TLS. */
final class ComposeConnection
        extends DockerComposeConnectionDetailsFactory<QuorateConnectionDetails> {

    private static final int CLIENT_PORT = 8080;

    ComposeConnection() {
        super("quorate");
    }

    @Override
    protected QuorateConnectionDetails getDockerComposeConnectionDetails(
            DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails
            implements QuorateConnectionDetails {

        private final List<URI> nodes;

        Details(RunningService service) {
            super(service);
            nodes =
                    List.of(
                            URI.create(
                                    "http://"
                                            + service.host()
                                            + ":"
                                            + service.ports().get(CLIENT_PORT)));
        }

        @Override
        public List<URI> nodes() {
            return nodes;
        }
    }
}
