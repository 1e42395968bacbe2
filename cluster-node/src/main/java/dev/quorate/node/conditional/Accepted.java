package dev.quorate.node.conditional;

import dev.quorate.storage.Timestamp;

/** What a replica has accepted to succeed a version, and under which ballot. */
public record Accepted(Timestamp ballot, Proposal proposal) {}
