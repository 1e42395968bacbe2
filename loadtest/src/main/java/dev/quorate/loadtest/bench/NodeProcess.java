package dev.quorate.loadtest.bench;

/** The process of one node. */
public record NodeProcess(String name, long pid) {}
