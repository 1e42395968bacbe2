package dev.quorate.node.admin;

/**
 * One condition of readiness.
 *
 * @param name one word
 * @param holds whether it is met
 * @param detail the state, for people to read
 */
public record ReadinessCheck(String name, boolean holds, String detail) {}
