package dev.quorate.cli.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs a program to its end and returns its output. Runs programs one at a time; each overwrites
 * the output file.
 *
 * <p>The output goes to a file and not to a pipe: child processes that continue to run, such as
 * those of {@code ./quorate up --detach}, could inherit the pipe, which then never closes.
 */
public record Command(Path output) {

    /** A program's exit status, and its standard output and standard error. */
    public record Result(int exit, String output) {}

    /**
     * Runs a program.
     *
     * @param limit the time after which the program is killed
     * @throws CommandException if it does not start or does not end in time
     */
    public Result run(List<String> command, Duration limit) throws CommandException {
        String program = command.getFirst();
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            process.getOutputStream().close();
            return await(process, program, limit);
        } catch (IOException e) {
            throw new CommandException(program + " could not be run: " + e.getMessage(), e);
        }
    }

    private Result await(Process process, String program, Duration limit)
            throws CommandException, IOException {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new CommandException(
                        program + " did not end within " + limit.toSeconds() + " seconds.");
            }
            return new Result(process.exitValue(), Files.readString(output, UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(program + " was interrupted.", e);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Finds a program in the folders of a path such as the environment variable {@code PATH}. */
    public static Optional<Path> find(String program, String path) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(path)
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
