package dev.quorate.node.http;

import dev.quorate.node.runtime.ByteBudget;

/** Room for the small answers of a listener's connections that their readers have not taken. */
final class WaitingRoom {

    final ByteBudget own;

    /** Used when the own one is full. */
    final ByteBudget common;

    WaitingRoom(ByteBudget own, ByteBudget common) {
        this.own = own;
        this.common = common;
    }
}
