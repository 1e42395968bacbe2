package dev.quorate.router.replica;

import java.util.concurrent.Executor;

/**
 * What a replica does for other members beside reads and writes.
 *
 * @param executor runs it; may reject
 * @param requests answers their background requests
 * @param inquirer reports what there is of a key
 * @param horizon how old a client's write may be
 */
public record MemberServices(
        Executor executor, PeerRequestHandler requests, Inquirer inquirer, Horizon horizon) {}
