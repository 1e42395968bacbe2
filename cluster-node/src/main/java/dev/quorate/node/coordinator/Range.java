package dev.quorate.node.coordinator;

import org.jspecify.annotations.Nullable;

/** The keys from {@code start} (included) to {@code end} (not included; null for no end). */
record Range(byte[] start, byte @Nullable [] end) {}
