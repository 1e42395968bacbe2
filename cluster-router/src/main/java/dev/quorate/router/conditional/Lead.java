package dev.quorate.router.conditional;

import dev.quorate.storage.Timestamp;

/**
 * A coordinator's memory of a conditional write that succeeded: a majority has promised the ballot,
 * and the write's entry is the newest known under that ballot. The next write of the key may be
 * proposed under the same ballot, without asking first. One round at a time uses the lead, which is
 * lost unless that round succeeds.
 */
public record Lead(Timestamp ballot, Current current) {}
