package dev.quorate.cli.client;

import static dev.quorate.cli.local.Commands.flag;
import static dev.quorate.cli.local.Commands.option;

import dev.quorate.cli.local.Commands;
import dev.quorate.client.Awaited;
import dev.quorate.client.Entry;
import dev.quorate.client.Key;
import dev.quorate.client.QuorateClient;
import dev.quorate.client.QuorateException;
import dev.quorate.client.Range;
import dev.quorate.client.UnavailableException;
import dev.quorate.client.Version;
import dev.quorate.client.Watch;
import dev.quorate.node.http.parse.Percent;
import dev.quorate.node.json.JsonWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The command {@code watch}: prints the value of a key, or the keys with a prefix, and each change.
 *
 * @param pause waits before nodes are asked again; returns false to end
 */
record WatchCommand(BooleanSupplier pause) {

    private static final Duration LONG = Duration.ofDays(1);
    private static final String PREFIX = "--prefix";
    private static final String EXITS = "Exit codes: 2 invalid arguments; 4 refused.";

    void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "watch",
                        "Prints the value of a key, and again after each change until Ctrl-C, a line"
                                + " each: the version, and the value percent-encoded after a tab; -"
                                + " if there is no value. With --prefix, a line for each key that"
                                + " appears, changes or disappears: the version, or -, and the key."
                                + " Changes that follow each other quickly may be one line. If no"
                                + " node can be reached, it says so and tries again.",
                        EXITS,
                        this::watch,
                        ClientCommands.replicas(),
                        option(PREFIX, "KEY", "All keys that begin with this, in place of KEY."),
                        flag("--encoded", "KEY is percent-encoded, as in a URL."),
                        Commands.optionalParameter(0, "KEY", "The key.")));
    }

    private ExitCode watch(Invocation run) throws IOException, CommandFailure {
        String prefix = run.option(PREFIX);
        if ((prefix == null) == (run.positional(0) == null)) {
            throw CommandFailure.usage("Give KEY or --prefix.");
        }
        try (QuorateClient client = run.client()) {
            if (prefix != null) {
                return watchPrefix(run, client, run.bytes(prefix));
            }
            Awaited found = new Awaited(false, Optional.empty());
            boolean isFirst = true;
            boolean isFailing = false;
            while (true) {
                try {
                    Version version = found.entry().map(Entry::version).orElse(null);
                    Awaited next =
                            isFirst
                                    ? new Awaited(true, client.get(run.key(), run.readOptions()))
                                    : client.await(run.key(), version, LONG, run.readOptions());
                    if (next.isChanged()) {
                        print(run, next.entry().map(each -> text(run, each)).orElse("-"));
                        found = next;
                    }
                    isFirst = false;
                    isFailing = false;
                } catch (UnavailableException e) {
                    if (!isFailing) {
                        failed(run, e);
                    }
                    isFailing = true;
                    if (!pause.getAsBoolean()) {
                        throw e;
                    }
                }
            }
        }
    }

    private static ExitCode watchPrefix(Invocation run, QuorateClient client, byte[] prefix)
            throws CommandFailure {
        Range all = prefix.length == 0 ? Range.all() : Range.withPrefix(Key.of(prefix));
        Range range = all.pageEntries(ClientCommands.PAGE_KEYS).options(run.readOptions());
        CompletableFuture<QuorateException> end = new CompletableFuture<>();
        Watch.Listener listener =
                new Watch.Listener() {
                    @Override
                    public void changed(Key key, Optional<Version> version) {
                        print(run, text(run, key, version.map(Version::text).orElse(null)));
                    }

                    @Override
                    public void failed(QuorateException why) {
                        if (why instanceof UnavailableException) {
                            WatchCommand.failed(run, why);
                        } else {
                            end.complete(why);
                        }
                    }
                };
        Watch watch = client.watch(range, listener);
        QuorateException refused = end.join();
        watch.close();
        throw refused;
    }

    private static void failed(Invocation run, QuorateException why) {
        run.err().println("No node can be asked, and it is tried again. " + why.getMessage());
        run.err().flush();
    }

    private static void print(Invocation run, String text) {
        run.out().println(text);
        run.out().flush();
    }

    private static String text(Invocation run, Key key, @Nullable String version) {
        if (!run.json()) {
            return (version == null ? "-" : version) + "\t" + Percent.encode(key.bytes());
        }
        JsonWriter json = new JsonWriter(128).beginObject();
        json.field("key", Base64.getEncoder().encodeToString(key.bytes()));
        return (version == null ? json : json.field("version", version)).endObject().toString();
    }

    private static String text(Invocation run, Entry entry) {
        return run.json() ? entry.toJson() : entry.version() + "\t" + Percent.encode(entry.value());
    }
}
