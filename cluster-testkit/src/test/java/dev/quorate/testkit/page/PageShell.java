package dev.quorate.testkit.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quorate.cli.process.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One shell that runs the blocks of a page one after the other, as a reader's would: variables and
 * the working directory remain. What a block prints goes to a file and not to a pipe, since nodes
 * that run on would have the pipe.
 */
public final class PageShell implements AutoCloseable {

    /**
     * What a block has done.
     *
     * @param output on standard output and standard error
     * @param failed the commands that failed, each in a line; empty if none did
     */
    public record Result(String output, String failed) {}

    private static final String DONE = "-- done --";

    private final Path folder;
    private final Process shell;
    private final Writer commands;
    private final BufferedReader answers;
    private int blocks;

    /**
     * Starts the shell.
     *
     * @param working its first working directory
     * @param folder for the blocks and what they print
     */
    public PageShell(Path working, Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        shell =
                new ProcessBuilder("bash", "--noprofile", "--norc")
                        .directory(working.toFile())
                        .redirectError(folder.resolve("shell.err").toFile())
                        .start();
        commands = shell.outputWriter(UTF_8);
        answers = shell.inputReader(UTF_8);
        commands.write("trap 'page_failed=\"$page_failed$BASH_COMMAND\n\"' ERR\n");
    }

    /**
     * Runs commands to their end.
     *
     * @throws CommandException if they do not end in time, or end the shell
     */
    public Result run(String block, Duration limit) throws CommandException {
        blocks++;
        Path file = folder.resolve("block-" + blocks);
        Path output = folder.resolve("output-" + blocks);
        Path failed = folder.resolve("failed-" + blocks);
        try {
            Files.writeString(file, block);
            commands.write(
                    "page_failed=; . '%s' >'%s' 2>&1 </dev/null; printf %%s \"$page_failed\" >'%s'; echo '%s'%n"
                            .formatted(file, output, failed, DONE));
            commands.flush();
            if (!DONE.equals(answer(limit, block))) {
                throw new CommandException("The shell has ended with: " + block);
            }
            return new Result(Files.readString(output), Files.readString(failed));
        } catch (IOException e) {
            throw new CommandException("The shell has ended before: " + block, e);
        }
    }

    private String answer(Duration limit, String block) throws CommandException {
        try {
            return CompletableFuture.supplyAsync(this::line)
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            close();
            throw new CommandException(
                    "No end within " + limit.toSeconds() + " seconds: " + block, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("Interrupted during: " + block, e);
        }
    }

    private String line() {
        try {
            return String.valueOf(answers.readLine());
        } catch (IOException e) {
            return "";
        }
    }

    /** Kills the shell and what it has started and not left behind. */
    @Override
    public void close() {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
    }
}
