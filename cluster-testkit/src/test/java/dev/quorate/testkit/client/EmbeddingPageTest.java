package dev.quorate.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.testkit.page.Block;
import dev.quorate.testkit.page.Note;
import dev.quorate.testkit.page.Page;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listings of docs/embedding.md compile, and its artifacts are those of this build. */
final class EmbeddingPageTest {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root"));

    private static final String IMPORTS =
            """
            import static org.junit.jupiter.api.Assertions.*;
            import dev.quorate.client.*;
            import dev.quorate.testkit.*;
            import java.util.*;
            import org.junit.jupiter.api.*;
            """;

    @TempDir Path classes;

    /** Text that is compiled. */
    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static List<String> listings(String language) throws IOException {
        Page page = Page.parse(Files.readString(ROOT.resolve("docs/embedding.md")));
        return page.blocks().stream()
                .filter(block -> block.language().equals(language))
                .filter(block -> block.note().equals(new Note.RunBy("EmbeddingPageTest")))
                .map(Block::text)
                .toList();
    }

    /** What the compiler says; empty if nothing. */
    private String compiled(String name, String text) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of(
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-cp",
                        System.getProperty("java.class.path"));
        List<JavaFileObject> sources = List.of(new Source(name, IMPORTS + text));
        boolean isCompiled = compiler.getTask(messages, null, null, options, null, sources).call();
        return isCompiled ? "" : messages.toString();
    }

    @Test
    void theListingsCompile() throws IOException {
        List<String> listings = listings("java");
        assertThat(listings).hasSize(2);
        for (int i = 0; i < listings.size(); i++) {
            String listing = listings.get(i).replace("{ … }", "{ }");
            String name = listing.contains("class MyTest") ? "MyTest" : "Listing" + i;
            String text =
                    listing.contains("class MyTest")
                            ? listing
                            : "class %s { void run() throws Exception { %s } }"
                                    .formatted(name, listing);
            assertThat(compiled(name, text)).as(listing).isEmpty();
        }
        assertThat(compiled("Wrong", "class Wrong { QuorateCluster cluster = start(); }"))
                .contains("start()");
    }

    @Test
    void theArtifactsAreThoseOfThisBuild() throws IOException {
        String bom = Files.readString(ROOT.resolve("quorate-bom/pom.xml"));
        List<String> listings = listings("xml");
        assertThat(listings).hasSize(3);
        assertThat(Files.readString(ROOT.resolve("samples/tests/pom.xml")))
                .contains(listings.get(2).strip());
        for (String line : String.join("", listings).lines().map(String::strip).toList()) {
            if (line.startsWith("<groupId>")
                    || line.startsWith("<artifactId>")
                    || line.startsWith("<version>")) {
                assertThat(bom).contains(line);
            }
        }
    }
}
