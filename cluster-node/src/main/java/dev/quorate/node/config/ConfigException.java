package dev.quorate.node.config;

import java.util.List;

/** The configuration is invalid. Contains every violation, each a sentence that names its key. */
public final class ConfigException extends RuntimeException {

    private final transient List<String> violations;

    public ConfigException(List<String> violations) {
        super(String.join("\n", violations));
        this.violations = List.copyOf(violations);
    }

    /** At least one sentence. */
    public List<String> violations() {
        return violations;
    }
}
