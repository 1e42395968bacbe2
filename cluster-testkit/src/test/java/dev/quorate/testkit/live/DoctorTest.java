package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.cli.doctor.DoctorCommand;
import dev.quorate.router.runtime.SystemTicker;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ./quorate doctor} asks real nodes, of a cluster that is well and of broken ones. */
final class DoctorTest {

    @TempDir Path data;
    private final StringWriter out = new StringWriter();

    private int doctor(String urls, String... more) {
        CommandLine commandLine =
                new CommandLine(CommandLine.Model.CommandSpec.create().name("quorate"));
        ClientCommands clients =
                new ClientCommands(
                        SystemTicker.INSTANCE,
                        InputStream.nullInputStream(),
                        new ByteArrayOutputStream(),
                        () -> false,
                        Map.of());
        new DoctorCommand(SystemTicker.INSTANCE, () -> true).addTo(commandLine, clients);
        out.getBuffer().setLength(0);
        commandLine.setOut(new PrintWriter(out, true));
        String[] all = new String[more.length + 3];
        all[0] = "doctor";
        all[1] = "--url";
        all[2] = urls;
        System.arraycopy(more, 0, all, 3, more.length);
        return commandLine.execute(all);
    }

    @Test
    void aClusterThatIsWellAndThenNot() throws Exception {
        try (NodesInOneProcess nodes = new NodesInOneProcess(data, 3)) {
            String three = nodes.url(1) + "," + nodes.url(2) + "," + nodes.url(3);
            // Nodes hear of each other a moment after they are ready.
            Awaitility.await().until(() -> doctor(three) == 0);
            assertThat(out.toString()).isEqualTo("3 of 3 nodes answered; nothing is wrong.\n");

            assertThat(doctor(nodes.url(1))).as("the others are found").isZero();
            assertThat(out.toString()).isEqualTo("3 of 3 nodes answered; nothing is wrong.\n");
            assertThat(doctor(nodes.url(1) + "," + nodes.url(2))).isZero();
            assertThat(out.toString()).contains("note  n3  It is up, as n1, n2 see it");

            nodes.stop(3);
            Awaitility.await()
                    .until(() -> doctor(three) == 1 && out.toString().contains("n3  It is down"));
            assertThat(out.toString())
                    .contains("critical  " + nodes.url(3) + "  It does not answer: ")
                    .contains("critical  n3  It is down, as n1, n2 see it.")
                    .contains("docs/runbook.md#a-node-is-down")
                    .endsWith("2 of 3 nodes answered; 2 things are wrong.\n");

            nodes.stop(2);
            Awaitility.await()
                    .until(() -> doctor(three) == 1 && out.toString().contains("#too-few-nodes"));
            assertThat(doctor(three, "--json")).isEqualTo(1);
            assertThat(out.toString().lines())
                    .allMatch(line -> line.startsWith("{\"severity\":\"") && line.endsWith("\"}"));

            nodes.stop(1);
            assertThat(doctor(three)).isEqualTo(3);
            assertThat(out.toString()).contains("0 of 3 nodes answered");
        }
    }
}
