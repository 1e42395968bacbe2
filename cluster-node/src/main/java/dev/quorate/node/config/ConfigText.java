package dev.quorate.node.config;

import dev.quorate.node.config.Settings.Setting;
import java.util.List;

/** The configuration as text. */
public final class ConfigText {

    private ConfigText() {}

    /**
     * A key, as {@code --help} prints it.
     *
     * @param name the flag without its dashes
     * @param description meaning, default and environment variable, in a few sentences
     */
    public record KeyHelp(String name, String description) {}

    /** Every key, in the order of the documentation. */
    public static List<KeyHelp> keys() {
        return ConfigTable.ALL.stream().map(ConfigText::help).toList();
    }

    private static KeyHelp help(ConfigKey<?> key) {
        return new KeyHelp(
                key.name(),
                key.meaning()
                        + " Default: "
                        + key.defaultText()
                        + ". Environment: "
                        + key.variable()
                        + ".");
    }

    /** What {@code --print-config} prints: every key, its value (masked), and its origin. */
    public static String effective(NodeOptions options, Settings settings) {
        StringBuilder text = new StringBuilder();
        for (ConfigKey<?> key : ConfigTable.ALL) {
            Setting setting = settings.get(key);
            String value = key.effective().apply(options);
            if (key.equals(ConfigTable.SECRET) && setting == null) {
                value = "";
            }
            if (key.equals(ConfigTable.SECRET_FILE) && setting != null) {
                value = setting.text();
            }
            text.append(
                    String.format(
                            "%-26s %s  (%s)%n",
                            key.name(),
                            value.isEmpty() ? "-" : value,
                            setting == null ? "default" : setting.origin()));
        }
        return text.toString();
    }
}
