package dev.quorate.client;

/**
 * No node could execute the operation before its deadline. A write is not stored, now or later, and
 * may be repeated. The message lists the answers of all nodes.
 */
public final class UnavailableException extends QuorateException {

    UnavailableException(String message) {
        super(message);
    }
}
