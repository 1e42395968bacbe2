package dev.quorate.testkit.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.page.Block;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of pages, as they are printed there but for the ports, and what they print. */
final class PagesIT {

    @TempDir Path scratch;

    /** Its comments say what is printed. */
    @Test
    void readme() throws Exception {
        try (PageRun run = new PageRun("README.md", scratch)) {
            List<Block> blocks = run.page().run();
            assertThat(blocks).hasSize(2);
            run.run(blocks.getFirst());
            assertThat(run.run(blocks.getLast()))
                    .containsSubsequence(
                            "HTTP/1.1 201 ", "n3 is killed.", "hello", "HTTP/1.1 504 ", "hello");
        }
    }

    /** Nodes are added, removed and get zones. */
    @Test
    void members() throws Exception {
        try (PageRun run = new PageRun("docs/members.md", scratch)) {
            run.all();
            assertThat(run.prepare("./quorate get key-3\n")).isEqualTo("value-3");
        }
    }

    @Test
    void http() throws Exception {
        try (PageRun run = new PageRun("docs/http.md", scratch)) {
            run.prepare("./quorate up --detach\n");
            for (String heading :
                    List.of(
                            "Expiry",
                            "Traces, content types and parts",
                            "Waiting for a change",
                            "Counts",
                            "Deleted keys")) {
                run.section(heading);
            }
        }
    }

    /** The data of three nodes, which do not run. */
    @Test
    void movingData() throws Exception {
        try (PageRun run = new PageRun("docs/moving-data.md", scratch)) {
            run.prepare("./quorate up --detach\n./quorate put a b\n./quorate down\n");
            run.all();
            assertThat(run.prepare("./quorate get a --url http://127.0.0.1:8183\n")).isEqualTo("b");
        }
    }
}
