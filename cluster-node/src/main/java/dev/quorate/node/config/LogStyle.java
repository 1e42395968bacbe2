package dev.quorate.node.config;

/** The format of log lines. */
public enum LogStyle {
    /** One line for people to read. */
    TEXT,
    /** One JSON object per line. */
    JSON
}
