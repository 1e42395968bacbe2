package dev.quorate.node.message;

/** Takes what one replica answered: exactly once, on any thread; must not block or throw. */
@FunctionalInterface
public interface AnswerCallback {
    void answered(ReplicaAnswer answer);
}
