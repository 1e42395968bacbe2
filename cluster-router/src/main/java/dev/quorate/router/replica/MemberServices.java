package dev.quorate.router.replica;

import dev.quorate.router.message.ReplicaAnswer;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A replica's services for other members, in addition to reads and writes.
 *
 * @param executor runs background requests that may wait for the disk; may reject
 * @param requests answers other members' background requests
 * @param inquirer reports everything stored for a key, on a thread that may wait for the disk
 * @param horizon the oldest accepted writes, and the GC watermark
 */
public record MemberServices(
        Executor executor,
        PeerRequestHandler requests,
        Function<byte[], ReplicaAnswer> inquirer,
        Horizon horizon) {}
