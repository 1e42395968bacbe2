package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.cli.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/install.md, with an archive of this build under the name of a release. */
final class InstallIT {

    @TempDir Path scratch;

    @Test
    void anArchiveIsUsedAsThePageSays() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("packed"));
        try (PageRun run = new PageRun("docs/install.md", scratch)) {
            Command.Result packed =
                    new Command(scratch.resolve("pack.out"))
                            .run(
                                    List.of(
                                            PageRun.ROOT.resolve(".ci/pack").toString(),
                                            "quorate-0.1.0",
                                            folder.toString(),
                                            "0",
                                            run.working().toString()),
                                    Duration.ofMinutes(1));
            assertThat(packed.output()).isEmpty();
            assertThat(packed.exit()).isZero();
            try {
                run.section("The archive");
            } finally {
                // In the folder of the archive, if a command has failed.
                run.output("./quorate down\n");
            }
            // Unlike the sources, it has what a node needs and the files of the deployment.
            assertThat(folder.resolve("quorate-0.1.0"))
                    .isDirectoryContaining("glob:**/docker-compose.yml")
                    .isDirectoryContaining("glob:**/deploy")
                    .isDirectoryNotContaining("glob:**/cluster-cli");
        }
    }
}
