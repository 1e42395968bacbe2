package dev.quorate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

/** A service of Docker Compose whose image is that of Quorate is a node. */
final class ComposeConnectionTest {

    private static Map<Class<?>, ConnectionDetails> details(
            String image, Map<String, String> labels) throws Exception {
        // Spring makes the source of a service that runs.
        Constructor<DockerComposeConnectionSource> source =
                DockerComposeConnectionSource.class.getDeclaredConstructor(
                        RunningService.class, Environment.class);
        source.setAccessible(true);
        return new ConnectionDetailsFactories(ComposeConnectionTest.class.getClassLoader())
                .getConnectionDetails(
                        source.newInstance(new Service(image, labels), new MockEnvironment()),
                        false);
    }

    @Test
    void itsPortForClientsIsThatOfANode() throws Exception {
        QuorateConnectionDetails found =
                (QuorateConnectionDetails)
                        details("quorate:local", Map.of()).get(QuorateConnectionDetails.class);
        assertThat(found.nodes()).containsExactly(URI.create("http://docker.example:28080"));
        assertThat(found.token()).isNull();
        assertThat(found.sslContext()).isNull();
    }

    @Test
    void otherServicesAreNotNodes() throws Exception {
        assertThat(details("quorate-console:1", Map.of())).isEmpty();
    }

    @Test
    void anotherImageIsThatOfANodeWithALabel() throws Exception {
        Map<String, String> label =
                Map.of("org.springframework.boot.service-connection", "quorate");
        assertThat(details("registry.example/team/quorate:0.1.0", Map.of())).isEmpty();
        assertThat(details("registry.example/team/quorate:0.1.0", label))
                .containsKey(QuorateConnectionDetails.class);
    }

    private record Service(String imageName, Map<String, String> labels)
            implements RunningService, ConnectionPorts {

        @Override
        public String name() {
            return "n1";
        }

        @Override
        public ImageReference image() {
            return ImageReference.of(imageName);
        }

        @Override
        public String host() {
            return "docker.example";
        }

        @Override
        public ConnectionPorts ports() {
            return this;
        }

        @Override
        public Map<String, String> env() {
            return Map.of();
        }

        @Override
        public int get(int containerPort) {
            return 20_000 + containerPort;
        }

        @Override
        public List<Integer> getAll() {
            return List.of(28_080);
        }

        @Override
        public List<Integer> getAll(String protocol) {
            return getAll();
        }
    }
}
