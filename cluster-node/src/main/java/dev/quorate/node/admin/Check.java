package dev.quorate.node.admin;

/**
 * One condition for being ready.
 *
 * @param name one word
 * @param holds whether it is met
 * @param detail how things stand, for people to read
 */
public record Check(String name, boolean holds, String detail) {}
