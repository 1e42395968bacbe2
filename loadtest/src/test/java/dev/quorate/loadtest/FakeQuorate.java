package dev.quorate.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A {@code quorate} that starts no node, for tests: it records its arguments and creates the data
 * folder.
 */
public final class FakeQuorate {

    private final Path home;

    /**
     * Writes the script into a folder.
     *
     * @param exit the exit status of {@code up}
     */
    public FakeQuorate(Path home, int exit) throws IOException {
        this.home = home;
        Path script = home.resolve("quorate");
        Files.writeString(
                script,
                """
                #!/bin/sh
                echo "$@" >>"$(dirname "$0")/calls"
                command=$1
                while [ "$1" != --data ]; do shift; done
                mkdir -p "$2/n1/wal"
                echo data >"$2/n1/wal/1.log"
                while [ "$command" = down ] && [ -e "$(dirname "$0")/hold" ]; do sleep 0.1; done
                if [ "$command" = up ]; then
                    echo "n1 did not become ready." >&2
                    exit %d
                fi
                """
                        .formatted(exit));
        if (!script.toFile().setExecutable(true)) {
            throw new IOException("not made executable: " + script);
        }
    }

    /** From now on {@code down} blocks while the returned file exists. */
    public Path holdDown() throws IOException {
        return Files.createFile(home.resolve("hold"));
    }

    public Path script() {
        return home.resolve("quorate");
    }

    /** The arguments of each call. */
    public List<String> calls() throws IOException {
        Path calls = home.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }
}
