package sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testcontainers.QuorateContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.testcontainers.utility.DockerImageName;

/** The same application with a node in a container, with a token and TLS. */
@SpringBootTest
@EnabledIfSystemProperty(named = "quorate.image", matches = ".+")
class ContainerTest {

    @Autowired private Visits visits;

    @TestConfiguration(proxyBeanMethods = false)
    static class Containers {

        @Bean
        @ServiceConnection
        QuorateContainer quorate() {
            DockerImageName image = DockerImageName.parse(System.getProperty("quorate.image"));
            return new QuorateContainer(image.asCompatibleSubstituteFor("quorate"))
                    .withToken("visits.secret")
                    .withTls();
        }
    }

    @Test
    void theClientOfTheApplicationUsesTheContainer() {
        assertThat(visits.visit("home")).isEqualTo(1);
    }
}
