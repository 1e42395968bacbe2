package dev.quorate.node.config;

import java.nio.charset.StandardCharsets;

/** The secret of a cluster's members. Its text form is masked. */
public final class Secret {

    /** Shorter secrets could be guessed. */
    static final int MIN_LENGTH = 16;

    static final String MASK = "********";

    private final String text;

    /**
     * @throws IllegalArgumentException if the text is shorter than 16 characters
     */
    public Secret(String text) {
        if (text.length() < MIN_LENGTH) {
            throw new IllegalArgumentException("shorter than " + MIN_LENGTH + " characters");
        }
        this.text = text;
    }

    /** The key for message authentication codes; a copy. */
    public byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return MASK;
    }
}
