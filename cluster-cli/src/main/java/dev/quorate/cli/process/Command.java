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
 * Runs a program to its end and returns its output.
 *
 * <p>The output goes through a file and not through a pipe: a program that leaves others running
 * behind it, as {@code ./quorate up --detach} does, may leave them the pipe, which then never
 * closes.
 */
public final class Command {

    /**
     * The result of a program.
     *
     * @param exit the exit status
     * @param output its standard output and standard error
     */
    public record Result(int exit, String output) {}

    private final Path output;

    /**
     * Runs programs, one at a time, with their output in a file.
     *
     * @param output overwritten by each program
     */
    public Command(Path output) {
        this.output = output;
    }

    /**
     * Runs a program.
     *
     * @param limit the program is killed after this time
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

    /**
     * Finds a program.
     *
     * @param path folders, separated as in the environment variable {@code PATH}
     */
    public static Optional<Path> find(String program, String path) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(path)
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
