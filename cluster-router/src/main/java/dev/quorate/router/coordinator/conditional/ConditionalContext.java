package dev.quorate.router.coordinator.conditional;

import dev.quorate.router.coordinator.operation.OperationContext;
import dev.quorate.router.runtime.NodeRuntime;

/**
 * The state that the conditional writes of a node share.
 *
 * @param waiting writes that wait for other writes of their key
 * @param reader reads a key at a majority
 */
record ConditionalContext(
        OperationContext operations,
        NodeRuntime runtime,
        Leads leads,
        Turns turns,
        WaitingWrites waiting,
        WaitingWrites.Reader reader) {}
