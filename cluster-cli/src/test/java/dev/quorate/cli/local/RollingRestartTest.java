package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** In which order nodes are stopped and started, and when none is. */
final class RollingRestartTest {

    private static final List<String> NAMES = List.of("n1", "n2", "n3");

    private final StringWriter printed = new StringWriter();
    private final Script nodes = new Script();

    /** Nodes whose answers the test chooses. */
    private static final class Script implements RollingRestart.Nodes {

        final List<String> steps = new ArrayList<>();

        /** By node, and after how many pauses it may stop. */
        final Map<String, Integer> blocked = new HashMap<>();

        String doomed = "";
        String silent = "";
        int pauses;

        @Override
        public String whyNotStop(String name) throws LocalFailure {
            if (name.equals(silent)) {
                throw new LocalFailure(name + " does not say.");
            }
            return blocked.getOrDefault(name, 0) > pauses ? name + " waits for another." : "";
        }

        @Override
        public void stop(String name) {
            steps.add("stop " + name);
        }

        @Override
        public void start(String name) throws LocalFailure {
            if (name.equals(doomed)) {
                throw new LocalFailure(name + " ended before it was ready.");
            }
            steps.add("start " + name);
        }

        @Override
        public void pause() {
            pauses++;
        }
    }

    private void run() throws Exception {
        new RollingRestart(nodes, new PrintWriter(printed)).run(NAMES);
    }

    @Test
    void oneNodeIsRestartedAfterTheOther() throws Exception {
        run();
        assertThat(nodes.steps)
                .containsExactly(
                        "stop n1", "start n1", "stop n2", "start n2", "stop n3", "start n3");
        assertThat(nodes.pauses).isZero();
        assertThat(printed.toString().lines())
                .containsExactly(
                        "n1 was restarted, and the others see that it is up.",
                        "n2 was restarted, and the others see that it is up.",
                        "n3 was restarted, and the others see that it is up.",
                        "All 3 nodes were restarted.");
    }

    @Test
    void aNodeIsStoppedOnceItMayAndTheReasonIsPrintedOnce() throws Exception {
        nodes.blocked.put("n1", 7);
        run();
        assertThat(nodes.pauses).isEqualTo(7);
        assertThat(printed.toString().lines())
                .startsWith(
                        "n1 cannot be stopped yet: n1 waits for another.",
                        "n1 was restarted, and the others see that it is up.");
    }

    @Test
    void theOthersHaveToSeeTheLastOneToo() throws Exception {
        nodes.blocked.put("n3", 5);
        run();
        assertThat(printed.toString()).contains("n3 waits until n1 is back: n3 waits for another.");
        assertThat(nodes.steps).startsWith("stop n1", "start n1", "stop n2");
    }

    @Test
    void nothingIsStoppedWhereRequestsWouldFail() {
        nodes.blocked.put("n1", Integer.MAX_VALUE);
        assertThatThrownBy(this::run)
                .isInstanceOf(LocalFailure.class)
                .hasMessageStartingWith(
                        "After 60 seconds requests would still fail without n1: n1 waits")
                .hasMessageEndingWith("Not restarted: n2, n3.");
        assertThat(nodes.steps).isEmpty();
        assertThat(nodes.pauses).isEqualTo(RollingRestart.MAX_POLLS);
    }

    @Test
    void aNodeThatDoesNotSayIsNotStopped() {
        nodes.silent = "n1";
        assertThatThrownBy(this::run).hasMessageStartingWith("n1 does not say.");
        assertThat(nodes.steps).isEmpty();
    }

    @Test
    void noFurtherNodeIsStoppedIfOneDoesNotComeBack() {
        nodes.doomed = "n2";
        assertThatThrownBy(this::run)
                .hasMessageStartingWith("n2 ended before it was ready.")
                .hasMessageEndingWith("Restarted before: n1. Not restarted: n3.");
        assertThat(nodes.steps).containsExactly("stop n1", "start n1", "stop n2");
    }

    @Test
    void noFurtherNodeIsStoppedIfTheOthersDoNotSeeTheLast() {
        nodes.blocked.put("n2", Integer.MAX_VALUE);
        assertThatThrownBy(this::run)
                .hasMessageContaining("still fail without n2: n2 waits")
                .hasMessageEndingWith("Not restarted: n2, n3.");
        assertThat(nodes.steps).containsExactly("stop n1", "start n1");
    }
}
