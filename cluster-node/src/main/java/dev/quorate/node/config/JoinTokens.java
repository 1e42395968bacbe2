package dev.quorate.node.config;

/** Whether a node that joins needs a token of {@code ./quorate member invite}. */
public enum JoinTokens {
    /** The cluster's secret suffices. */
    OFF,
    REQUIRED
}
