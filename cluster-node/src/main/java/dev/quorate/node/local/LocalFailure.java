package dev.quorate.node.local;

/** A command could not do what it was asked to; the message is for the person who asked. */
final class LocalFailure extends Exception {

    private static final long serialVersionUID = 1;

    LocalFailure(String message) {
        super(message);
    }
}
