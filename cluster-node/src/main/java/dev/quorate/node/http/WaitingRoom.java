package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;

/** The memory for small answers that clients have not read. */
final class WaitingRoom {

    final ByteBudget own;

    /** Used when the other budget is full. */
    final ByteBudget common;

    WaitingRoom(ByteBudget own, ByteBudget common) {
        this.own = own;
        this.common = common;
    }
}
