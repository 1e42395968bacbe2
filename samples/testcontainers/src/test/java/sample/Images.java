package sample;

import org.testcontainers.utility.DockerImageName;

/** The image under test: the property {@code quorate.image} of the POM. */
final class Images {

    private Images() {}

    static DockerImageName quorate() {
        return DockerImageName.parse(System.getProperty("quorate.image"))
                .asCompatibleSubstituteFor("quorate");
    }
}
