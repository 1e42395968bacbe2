package dev.quorate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Test classes as users write them, run by JUnit within a test. */
class QuorateExtensionTest {

    /** What the cases below were given, in the order in which they ran. */
    private static final List<QuorateCluster> GIVEN = new ArrayList<>();

    private static TestExecutionSummary run(Class<?> tests) {
        GIVEN.clear();
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }

    @QuorateTest(nodes = 2)
    static class EachItsOwnCase {

        @BeforeEach
        void fill(QuorateCluster cluster) {
            cluster.put("key", "value");
        }

        @Test
        void one(QuorateCluster cluster) {
            GIVEN.add(cluster);
            assertThat(cluster.get("key").status()).isEqualTo(200);
            assertThat(cluster.nodes()).hasSize(2);
        }

        @Test
        @QuorateTest(nodes = 1, settings = "max-value-bytes=10B")
        void another(QuorateCluster cluster) {
            GIVEN.add(cluster);
            assertThat(cluster.nodes()).hasSize(1);
            assertThat(cluster.put("key", "eleven bytes").status()).isEqualTo(413);
        }

        @Test
        void none() {}
    }

    @Test
    void eachTestHasAClusterOfItsOwn() {
        TestExecutionSummary summary = run(EachItsOwnCase.class);
        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(3);
        assertThat(GIVEN).hasSize(2).doesNotHaveDuplicates();
        assertThat(GIVEN)
                .allSatisfy(
                        cluster -> assertThat(cluster.node(1).disk().directory()).doesNotExist());
    }

    @QuorateTest(nodes = 1, shared = true)
    static class SharedCase {

        @BeforeAll
        static void fill(QuorateCluster cluster) {
            cluster.put("key", "value");
        }

        @Test
        void one(QuorateCluster cluster) {
            GIVEN.add(cluster);
            assertThat(cluster.get("key").status()).isEqualTo(200);
        }

        @Nested
        class Within {
            @Test
            void another(QuorateCluster cluster) {
                GIVEN.add(cluster);
                assertThat(cluster.get("key").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aSharedClusterIsThatOfAll() {
        TestExecutionSummary summary = run(SharedCase.class);
        assertThat(summary.getFailures()).isEmpty();
        assertThat(GIVEN).hasSize(2);
        assertThat(GIVEN.get(0)).isSameAs(GIVEN.get(1));
        assertThat(GIVEN.get(0).node(1).disk().directory()).doesNotExist();
    }

    @QuorateTest(nodes = 2)
    static class FailingCase {

        @Test
        void fails(QuorateCluster cluster) {
            GIVEN.add(cluster);
            cluster.node(2).kill();
            TestLog.add("a line of the log\n");
            throw new AssertionError("as it should");
        }
    }

    @Test
    void aFailureIsExplained() {
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        TestExecutionSummary summary;
        try {
            summary = run(FailingCase.class);
        } finally {
            System.setErr(err);
        }
        assertThat(summary.getFailures()).hasSize(1);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("fails(QuorateCluster) failed.")
                .contains("-Dquorate.seed=" + GIVEN.get(0).seed())
                .contains("n1 RUNNING")
                .contains("n2 DOWN")
                .contains("n2 is killed")
                .endsWith("a line of the log\n");
        assertThat(GIVEN.get(0).node(1).disk().directory()).doesNotExist();
    }

    @QuorateTest(settings = "no value")
    static class MistakenCase {

        @Test
        void fails(QuorateCluster cluster) {
            GIVEN.add(cluster);
        }
    }

    @QuorateTest
    static class TooEarlyCase {

        @BeforeAll
        static void fails(QuorateCluster cluster) {
            GIVEN.add(cluster);
        }

        @Test
        void never() {}
    }

    @Test
    void aMistakeIsNamed() {
        assertThat(run(MistakenCase.class).getFailures().getFirst().getException())
                .hasMessageContaining("key=value");
        assertThat(run(TooEarlyCase.class).getFailures().getFirst().getException())
                .hasMessageContaining("shared = true");
    }
}
