package dev.quorate.testcontainers;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;

/** The image of this build, made once, and files of this repository. */
public final class ThisBuild {

    private static final Path ROOT = Path.of(System.getProperty("quorate.root", "."));

    private static DockerImageName image;

    private ThisBuild() {}

    /** Skips the test, and says so, or fails it if containers are required. */
    static void requireDocker() {
        if (DockerClientFactory.instance().isDockerAvailable()) {
            return;
        }
        if (Boolean.getBoolean("containers.required")) {
            fail("containers are required, but no Docker engine answers");
        }
        System.out.println("SKIPPED: no Docker engine answers, so container tests do not run");
        Assumptions.abort("no Docker engine answers");
    }

    /**
     * The image that {@code docker build} makes, with the jars of this build in place of those that
     * its first stage would build: everything from the second {@code FROM} on is the Dockerfile's.
     */
    public static synchronized DockerImageName image() throws IOException {
        if (image == null) {
            String dockerfile = text("Dockerfile");
            String runtime = dockerfile.substring(dockerfile.lastIndexOf("\nFROM ") + 1);
            String name =
                    new ImageFromDockerfile("quorate-test", false)
                            .withFileFromString(
                                    "Dockerfile",
                                    runtime.replace("--from=build /build/", "")
                                            .replace("cluster-cli/target/dist/lib", "lib"))
                            .withFileFromPath(".mvn", ROOT.resolve(".mvn"))
                            .withFileFromPath("lib", ROOT.resolve("cluster-cli/target/dist/lib"))
                            .withFileFromPath("quorate", ROOT.resolve("quorate"))
                            .get();
            image = DockerImageName.parse(name).asCompatibleSubstituteFor("quorate");
        }
        return image;
    }

    static String text(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
