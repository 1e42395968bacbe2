package sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.QuorateCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(properties = "logging.level.dev.quorate=warn")
class VisitsTest {

    private static final QuorateCluster CLUSTER = QuorateCluster.start(3);

    @Autowired private Visits visits;
    @Autowired private ApplicationContext context;

    @DynamicPropertySource
    static void nodes(DynamicPropertyRegistry properties) {
        properties.add(
                "quorate.nodes",
                () -> CLUSTER.url(1) + "," + CLUSTER.url(2) + "," + CLUSTER.url(3));
    }

    @AfterAll
    static void close() {
        CLUSTER.close();
    }

    @Test
    void visitsAreCountedWhileANodeIsDown() {
        assertThat(visits.visit("home")).isEqualTo(1);
        CLUSTER.node(2).kill();
        assertThat(visits.visit("home")).isEqualTo(2);
        assertThat(visits.recent("home")).isEqualTo(2);
        visits.visit("home");
        assertThat(visits.recent("home")).as("from the cache").isEqualTo(2);
    }

    /** The class of an indicator is another one in Spring Boot 3. */
    @Test
    void theClusterIsPartOfTheHealth() throws Exception {
        Object indicator = context.getBean("quorateHealthIndicator");
        Object health = indicator.getClass().getMethod("health").invoke(indicator);
        assertThat(health.toString()).contains("UP");
    }
}
