package dev.quorate.node.handoff;

/** Called once, when it is known whether a hint is stored. On any thread; must not block. */
@FunctionalInterface
interface HintCompletion {
    void completed(boolean kept);
}
