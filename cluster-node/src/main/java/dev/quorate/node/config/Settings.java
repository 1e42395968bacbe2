package dev.quorate.node.config;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The given texts of keys, each from the source with the highest precedence: a flag, then the
 * environment, then the properties file. Nothing is parsed yet.
 */
public final class Settings {

    /** Names the properties file; the flag {@code --config} takes precedence. */
    static final String CONFIG_VARIABLE = "QUORATE_CONFIG";

    /** Variables that only the launcher and the clients of the command line read. */
    private static final Set<String> LAUNCHER_VARIABLES =
            Set.of(CONFIG_VARIABLE, "QUORATE_HEAP", "QUORATE_TOKEN");

    private final Map<String, Setting> settings;
    private final List<String> violations;

    private Settings(Map<String, Setting> settings, List<String> violations) {
        this.settings = Map.copyOf(settings);
        this.violations = List.copyOf(violations);
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
        FILE,
        ENVIRONMENT,
        FLAG
    }

    /** Reads a small file. */
    @FunctionalInterface
    public interface TextFiles {
        String read(Path file) throws IOException;
    }

    /** Settings from flags; for tests and embedding. */
    public static Settings of(Map<String, String> texts) {
        return resolve(texts, Map.of(), unread -> "");
    }

    /**
     * Collects every text. {@link OptionsReader#read} reports what is wrong with them, together
     * with everything else.
     *
     * @param flags texts by key, without the dashes; also {@code config}, the properties file
     * @param environment the process's environment
     */
    public static Settings resolve(
            Map<String, String> flags, Map<String, String> environment, TextFiles files) {
        Map<String, Setting> settings = new HashMap<>();
        List<String> violations = new ArrayList<>();
        String file = flags.getOrDefault("config", environment.get(CONFIG_VARIABLE));
        if (file != null) {
            addFile(file, files, settings, violations);
        }
        addEnvironment(environment, settings, violations);
        for (Map.Entry<String, String> flag : new TreeMap<>(flags).entrySet()) {
            String name = flag.getKey();
            if (name.equals("config")) {
                continue;
            }
            if (ConfigTable.named(name) == null) {
                violations.add(unknown("--" + name, "flag", ConfigTable.flags()));
            } else {
                settings.put(name, new Setting(flag.getValue(), "flag --" + name, Rank.FLAG));
            }
        }
        return new Settings(settings, violations);
    }

    private static void addFile(
            String file, TextFiles files, Map<String, Setting> settings, List<String> violations) {
        Set<String> repeated = new TreeSet<>();
        Properties properties = new RepetitionNoticing(repeated);
        try {
            String text = files.read(Path.of(file));
            // Some editors begin a file with a mark of its byte order.
            properties.load(new StringReader(text.startsWith("\uFEFF") ? text.substring(1) : text));
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            violations.add("The file that config names, " + file + ", cannot be read: " + e + ".");
            return;
        }
        for (String name : repeated) {
            violations.add("The file " + file + " gives " + name + " twice.");
        }
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (ConfigTable.named(name) == null) {
                violations.add(unknown(name, "key in the file " + file, ConfigTable.names()));
            } else {
                String text = properties.getProperty(name).strip();
                settings.put(name, new Setting(text, "file " + file, Rank.FILE));
            }
        }
    }

    private static void addEnvironment(
            Map<String, String> environment,
            Map<String, Setting> settings,
            List<String> violations) {
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(ConfigKey.VARIABLE_PREFIX) || LAUNCHER_VARIABLES.contains(name)) {
                continue;
            }
            ConfigKey<?> key = ConfigTable.ofVariable(name);
            if (key == null) {
                violations.add(unknown(name, "environment variable", ConfigTable.variables()));
            } else {
                settings.put(
                        key.name(),
                        new Setting(variable.getValue(), "environment " + name, Rank.ENVIRONMENT));
            }
        }
    }

    private static String unknown(String name, String kind, List<String> known) {
        String nearest = nearest(name, known);
        return name
                + " is not a known "
                + kind
                + (nearest == null ? "." : "; did you mean " + nearest + "?");
    }

    /** The most similar known name, if it differs by at most two edits. */
    private static @Nullable String nearest(String name, List<String> known) {
        String nearest = null;
        int least = 3;
        for (String candidate : known) {
            int distance = editDistance(name, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
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

    /** The setting of a key; null if there is none. */
    @Nullable Setting get(ConfigKey<?> key) {
        return settings.get(key.name());
    }

    /** Unknown names and unreadable files, one sentence each. */
    List<String> violations() {
        return violations;
    }

    /** Detects repeated keys, of which {@link Properties} silently keeps the last. */
    private static final class RepetitionNoticing extends Properties {

        private static final long serialVersionUID = 1;

        private final transient Set<String> repeated;
        private final transient Set<Object> seen = new HashSet<>();

        RepetitionNoticing(Set<String> repeated) {
            this.repeated = repeated;
        }

        @Override
        public synchronized Object put(Object key, Object value) {
            if (!seen.add(key)) {
                repeated.add(key.toString());
            }
            return super.put(key, value);
        }
    }
}
