package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.quorate.cli.process.CommandException;
import dev.quorate.testkit.page.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three machines are installed as docs/operations.md has it, and one is replaced by another. Each
 * is a folder here, whose files belong to the user of the test, and their addresses are ports.
 */
final class ThreeMachinesIT {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String PAGE = "docs/operations.md";

    @TempDir Path scratch;
    private PageRun run;

    /** What is on the page about one machine applies to another from now on. */
    private void use(int machine, String name) {
        for (String folder : List.of("/opt/quorate", "/etc/quorate", "/var/lib/quorate")) {
            run.with(folder, run.working().resolve("m" + machine) + folder);
        }
        run.with("name=n1/", "name=" + name + "/");
    }

    private Block block(String text) {
        return run.page().run().stream()
                .filter(block -> block.text().contains(text))
                .findFirst()
                .orElseThrow();
    }

    private void install(int machine, String name) throws Exception {
        use(machine, name);
        String properties =
                Files.readString(PageRun.ROOT.resolve("deploy/systemd/node.properties"));
        Files.writeString(run.working().resolve("node.properties"), run.here(properties));
        run.run(block("install -d -m 0755 /opt/quorate"));
    }

    private void start(int machine, String name) throws CommandException {
        use(machine, name);
        run.run(block("setpriv"));
        run.prepare("p" + machine + "=$!\n");
    }

    private void awaitDoctor(String urls, String expected) {
        await().atMost(LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(run.output("./quorate doctor --url " + urls + "\n"))
                                        .contains(expected));
    }

    @Test
    void theMachinesOfThePage() throws Exception {
        try (PageRun page = new PageRun(PAGE, scratch)) {
            run = page;
            for (int machine = 1; machine <= 4; machine++) {
                run.with("10.0.0." + machine + ":8080", "127.0.0.1:808" + (machine - 1));
            }
            run.with("tar -cf quorate.tar", "tar -chf quorate.tar")
                    .with("install -o root -g quorate ", "install ")
                    .with("install -d -o quorate -g quorate ", "install -d ")
                    .with("setpriv --reuid quorate --regid quorate --clear-groups ", "");
            run.run(block("tar -cf quorate.tar"));
            run.run(block("/dev/urandom"));
            for (int machine = 1; machine <= 3; machine++) {
                install(machine, "n" + machine);
                start(machine, "n" + machine);
            }
            run.prepare("export QUORATE_TOKEN=$(cat ops.token)\n");
            awaitDoctor(
                    "http://10.0.0.1:8080,http://10.0.0.2:8080,http://10.0.0.3:8080", "nothing is");
            use(1, "n1");
            run.run(block("export QUORATE_TOKEN"));
            assertThat(
                            run.output(
                                    "env -u QUORATE_TOKEN ./quorate doctor --url http://10.0.0.1:8080\n"))
                    .contains("#a-token-is-refused");
            replaceTheThird();
        }
    }

    private void replaceTheThird() throws Exception {
        run.prepare("kill -9 $p3\nrm -r m3\n");
        install(4, "n3");
        for (int machine : List.of(1, 2, 4)) {
            use(machine, machine == 4 ? "n3" : "n" + machine);
            run.section("Replacing a dead node");
        }
        start(4, "n3");
        awaitDoctor("http://10.0.0.1:8080,http://10.0.0.2:8080,http://10.0.0.4:8080", "nothing is");
        assertThat(run.output("./quorate get first --url http://10.0.0.4:8080\n"))
                .isEqualTo("write");
    }
}
