package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/tutorial.md, as they are printed there but for the ports. */
final class TutorialIT {

    @TempDir Path scratch;

    @Test
    void theCommandsPrintWhatThePageSays() throws Exception {
        try (PageRun run = new PageRun("docs/tutorial.md", scratch)) {
            assertThat(run.page().run()).hasSize(12).allMatch(each -> each.output().isPresent());
            run.all();
        }
    }
}
