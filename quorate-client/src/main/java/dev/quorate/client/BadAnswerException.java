package dev.quorate.client;

/** An answer is not what a node sends. */
final class BadAnswerException extends Exception {

    BadAnswerException(String message) {
        super(message);
    }
}
