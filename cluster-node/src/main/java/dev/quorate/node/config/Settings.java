package dev.quorate.node.config;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The given texts of options, each from the source with the highest precedence: a flag, then the
 * environment, then the properties file. Nothing is parsed yet.
 */
public final class Settings {

    /** Names the properties file; the flag {@code --config} takes precedence. */
    static final String CONFIG_VARIABLE = "QUORATE_CONFIG";

    /** Variables that only the launcher and the clients of the command line read. */
    private static final Set<String> LAUNCHER_VARIABLES =
            Set.of(
                    CONFIG_VARIABLE,
                    "QUORATE_HEAP",
                    "QUORATE_TOKEN",
                    "QUORATE_URL",
                    "QUORATE_CLUSTERS");

    private final TextFiles files;
    private final Map<String, Setting> settings = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private String file = "";

    private Settings(TextFiles files) {
        this.files = files;
    }

    /**
     * A given text.
     *
     * @param origin its origin, for display
     * @param rank the precedence of its source: a greater one wins
     */
    record Setting(String text, String origin, Rank rank) {}

    /** The sources, the one with the highest precedence last. */
    enum Rank {
        FILE("file"),
        ENVIRONMENT("environment variable"),
        FLAG("flag");

        private final String word;

        Rank(String word) {
            this.word = word;
        }
    }

    /** Reads a small file. */
    @FunctionalInterface
    public interface TextFiles {
        String read(Path file) throws IOException;
    }

    /**
     * Collects every text. {@link OptionsReader#read} reports their violations with all others.
     *
     * @param flags texts by key, without the dashes; also {@code config}, the properties file
     * @param environment the process's environment
     * @param files reads the properties file and the secret's file
     */
    public static Settings resolve(
            Map<String, String> flags, Map<String, String> environment, TextFiles files) {
        Settings settings = new Settings(files);
        String file = flags.getOrDefault("config", environment.get(CONFIG_VARIABLE));
        if (file != null) {
            settings.addFile(file);
        }
        for (Map.Entry<String, String> each : new TreeMap<>(environment).entrySet()) {
            String name = each.getKey();
            if (name.startsWith(Option.VARIABLE_PREFIX) && !LAUNCHER_VARIABLES.contains(name)) {
                settings.add(Rank.ENVIRONMENT, name, each.getValue(), Option::variable);
            }
        }
        Map<String, String> others = new TreeMap<>(flags);
        others.remove("config");
        others.forEach((name, text) -> settings.add(Rank.FLAG, "--" + name, text, Option::flag));
        return settings;
    }

    /**
     * Adds a text.
     *
     * @param written the option's name, in the spelling of its source
     * @param spelling the spelling of option names in that source
     */
    private void add(Rank rank, String written, String text, Function<Option<?>, String> spelling) {
        String nearest = null;
        int least = 3;
        for (Option<?> option : NodeOption.ALL) {
            String known = spelling.apply(option);
            if (known.equals(written)) {
                if (option.isFlagOnly() && rank != Rank.FLAG) {
                    violations.add(
                            "%s is only a flag: give --%s to the command."
                                    .formatted(written, option.name()));
                    return;
                }
                String origin = rank == Rank.FILE ? "file " + file : rank.word + " " + written;
                settings.put(option.name(), new Setting(text, origin, rank));
                return;
            }
            int distance = editDistance(written, known);
            if (distance < least) {
                least = distance;
                nearest = known;
            }
        }
        violations.add(
                "%s is not a known %s%s"
                        .formatted(
                                written,
                                rank == Rank.FILE ? "key in the file " + file : rank.word,
                                nearest == null ? "." : "; did you mean " + nearest + "?"));
    }

    private void addFile(String name) {
        file = name;
        Set<String> repeated = new TreeSet<>();
        // Properties silently retain the last value of a repeated key.
        Properties properties =
                new Properties() {
                    @Override
                    public synchronized Object put(Object key, Object value) {
                        if (containsKey(key)) {
                            repeated.add(key.toString());
                        }
                        return super.put(key, value);
                    }
                };
        try {
            String text = files.read(Path.of(name));
            // Some editors begin a file with a byte order mark.
            properties.load(new StringReader(text.startsWith("\uFEFF") ? text.substring(1) : text));
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            violations.add("The file that config names, " + name + ", cannot be read: " + e + ".");
            return;
        }
        for (String key : repeated) {
            violations.add("The file " + name + " gives " + key + " twice.");
        }
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            add(Rank.FILE, key, properties.getProperty(key).strip(), Option::name);
        }
    }

    /** Levenshtein's distance, one row at a time. */
    private static int editDistance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }

    /** The text of an option; null if not given. */
    @Nullable Setting get(Option<?> option) {
        return settings.get(option.name());
    }

    TextFiles files() {
        return files;
    }

    /** Unknown names and unreadable files, one sentence each. */
    List<String> violations() {
        return List.copyOf(violations);
    }
}
