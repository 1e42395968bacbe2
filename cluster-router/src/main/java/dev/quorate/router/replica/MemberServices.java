package dev.quorate.router.replica;

import java.util.concurrent.Executor;

/**
 * A replica's services for other members, in addition to reads and writes.
 *
 * @param executor runs background requests that may wait for the disk; may reject
 * @param requests answers other members' background requests
 * @param inquirer reports everything stored for a key
 * @param horizon the oldest accepted writes, and the GC watermark
 */
public record MemberServices(
        Executor executor, PeerRequestHandler requests, Inquirer inquirer, Horizon horizon) {}
