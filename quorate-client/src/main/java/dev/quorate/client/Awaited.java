package dev.quorate.client;

import java.util.Optional;

/**
 * What a wait for a change of a key has found.
 *
 * @param isChanged whether the key has another version than the given one, or none; false if the
 *     time has passed first
 * @param entry the value if it has changed; empty if the key has none now
 */
public record Awaited(boolean isChanged, Optional<Entry> entry) {}
