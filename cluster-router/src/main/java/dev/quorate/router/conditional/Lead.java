package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/**
 * What a coordinator keeps in memory of a conditional write that was done: a majority has promised
 * the ballot, and what the write made is the newest of which that ballot knows. The next write of
 * the key may be proposed under the same ballot, without asking first. One round at a time uses it,
 * and it is gone once that round does anything but succeed.
 */
public record Lead(Timestamp ballot, Current current) {}
