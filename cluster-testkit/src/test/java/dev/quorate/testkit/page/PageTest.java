package dev.quorate.testkit.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PageTest {

    private static final String PAGE =
            """
            # Title
            <!-- run by: SomeIT -->

            ```bash
            ./quorate get a
            ```

            ```text
            1
            ```

            ## Second section

            1. In a list:
               ```bash
               if true; then
                 echo
               fi
               ```

            <!-- not run: it needs a Kubernetes cluster -->
            ```bash
            kubectl
            ```

            <!-- repeated: n1 sees within seconds that n3 is down -->
            ```bash
            ./quorate status
            ```
            ```text
            a picture
            ```
            """;

    @Test
    void blocksWithWhatStandsBesideThem() {
        Page page = Page.parse(PAGE);
        assertThat(page.note()).isEqualTo(new Note.RunBy("SomeIT"));
        assertThat(page.blocks()).hasSize(5);
        Block first = page.blocks().getFirst();
        assertThat(first)
                .isEqualTo(
                        new Block(
                                "Title",
                                4,
                                "bash",
                                "./quorate get a\n",
                                Optional.of("1\n"),
                                new Note.None()));
        assertThat(page.blocks().get(1).text()).isEqualTo("if true; then\n  echo\nfi\n");
        assertThat(page.blocks().get(2).note())
                .isEqualTo(new Note.NotRun("it needs a Kubernetes cluster"));
        assertThat(page.blocks().get(4).language()).isEqualTo("text");
        assertThat(page.run()).extracting(Block::line).containsExactly(4, 15, 27);
        assertThat(page.run("Title")).containsExactly(first);
    }

    @Test
    void aPageThatIsWrittenWrongly() {
        assertThatThrownBy(() -> Page.parse("```bash\necho\n"))
                .hasMessage("the block of line 1 has no end");
        assertThatThrownBy(() -> Page.parse("#\n\n<!-- not run: too long -->\n\n```\n```\n"))
                .hasMessageStartingWith("line 3 is a comment to no block");
    }

    @Test
    void whatDiffersFromOneRunToTheNext() {
        String output =
                """
                stored 01a1ffa680e10000-36c6c909 at 2026-11-21T19:47:45.735Z; millis=0.123
                ... ready after ... s [1.0]
                """;
        assertThat(
                        """
                        stored 02b1ffa680e10000-46c6c909 at 2027-01-01T00:00:00.000Z; millis=12.000
                        3 nodes are ready after 4.5 s [1.0]
                        """)
                .matches(Block.expected(output));
        assertThat(output.replace("millis=0.123", "millis=soon"))
                .doesNotMatch(Block.expected(output));
        assertThat(output.replace("stored", "lost")).doesNotMatch(Block.expected(output));
        assertThat(output + "more\n").doesNotMatch(Block.expected(output));
    }
}
