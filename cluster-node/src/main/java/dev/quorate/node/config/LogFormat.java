package dev.quorate.node.config;

/** How log lines look. */
public enum LogFormat {
    /** One line for people to read. */
    TEXT,
    /** One JSON object a line. */
    JSON
}
