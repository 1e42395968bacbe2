package dev.quorate.node.transport;

import dev.quorate.node.message.FrameHeader;

/**
 * The version of the messages that a peer is sent: the highest that both take. It begins with the
 * highest of this node. A peer of an earlier release refuses that, having done nothing, and is sent
 * the same in the next lower one; one that has restarted may be of a later release, and is sent the
 * highest again. Answers are of the version of their requests. Thread-safe.
 */
final class PeerVersion {

    private volatile int version = FrameHeader.MAX_VERSION;

    /** Of the next message. */
    int current() {
        return version;
    }

    /**
     * The peer has refused a message of that version.
     *
     * @return whether there is a lower one
     */
    synchronized boolean refused(int sent) {
        if (sent == FrameHeader.MIN_VERSION) {
            return false;
        }
        version = Math.min(version, sent - 1);
        return true;
    }

    /** The peer has restarted. */
    synchronized void restarted() {
        version = FrameHeader.MAX_VERSION;
    }
}
