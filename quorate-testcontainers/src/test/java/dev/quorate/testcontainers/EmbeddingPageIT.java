package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The listing of containers in docs/embedding.md, compiled and run with the image of this build.
 */
final class EmbeddingPageIT {

    private static final Pattern LISTING =
            Pattern.compile("<!-- run by: EmbeddingPageIT -->\n```java\n(.*?)```", Pattern.DOTALL);

    @TempDir Path classes;

    @BeforeAll
    static void docker() {
        ThisBuild.requireDocker();
    }

    @Test
    void theListingRuns() throws Exception {
        Matcher listing = LISTING.matcher(ThisBuild.text("docs/embedding.md"));
        assertThat(listing.find()).isTrue();
        String own =
                listing.group(1)
                        .replace(
                                "new QuorateClusterContainer(3)",
                                "new QuorateClusterContainer(ThisBuild.image(), 3)");
        assertThat(own).isNotEqualTo(listing.group(1));
        String source =
                """
                import static org.junit.jupiter.api.Assertions.*;
                import dev.quorate.client.QuorateClient;
                import dev.quorate.testcontainers.*;
                public class Listing implements java.util.concurrent.Callable<String> {
                    public String call() throws Exception { %s return "done"; }
                }
                """
                        .formatted(own);
        compile(source);
        URL[] paths = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(paths)) {
            Object done =
                    ((java.util.concurrent.Callable<?>)
                                    loader.loadClass("Listing")
                                            .getDeclaredConstructor()
                                            .newInstance())
                            .call();
            assertThat(done).isEqualTo("done");
        }
    }

    private void compile(String source) {
        JavaFileObject file =
                new SimpleJavaFileObject(
                        URI.create("string:///Listing.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of(
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-cp",
                        System.getProperty("java.class.path"));
        boolean isCompiled =
                ToolProvider.getSystemJavaCompiler()
                        .getTask(messages, null, null, options, null, List.of(file))
                        .call();
        assertThat(isCompiled).as(messages.toString()).isTrue();
    }
}
