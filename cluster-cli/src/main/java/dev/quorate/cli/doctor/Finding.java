package dev.quorate.cli.doctor;

import java.util.Locale;

/**
 * A problem, or a possible problem.
 *
 * @param node the name or the URL of a node
 * @param sentences the description and its consequences
 */
record Finding(Severity severity, String node, String sentences, Section section) {

    enum Severity {
        /** Clients are refused, or data is at risk. */
        CRITICAL,
        /** The problem will get worse. */
        WARNING,
        /** Not necessarily a problem. */
        NOTE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The section of {@code docs/runbook.md} that helps. */
    enum Section {
        NODE_DOWN("a-node-is-down"),
        NO_QUORUM("too-few-nodes-are-up"),
        NO_VOTE("a-node-does-not-vote"),
        NETWORK("two-nodes-do-not-reach-each-other"),
        CLOCK("a-clock-is-wrong"),
        DAMAGE("data-is-damaged"),
        DISK_FULL("a-disk-is-full"),
        REPLICAS_DIFFER("replicas-may-differ"),
        LOAD("too-much-load"),
        DELETES("deleted-data-takes-space"),
        OTHER_CLUSTER("nodes-are-configured-differently"),
        CHANGE("a-change-of-members-waits"),
        VERSIONS("versions-differ"),
        CHECKPOINTS("old-checkpoints-take-space"),
        CERTIFICATE("a-certificate-ends"),
        TOKEN("a-token-is-refused");

        final String anchor;

        Section(String anchor) {
            this.anchor = anchor;
        }

        /** Path and anchor of the section, relative to the folder of the sources. */
        String link() {
            return "docs/runbook.md#" + anchor;
        }
    }
}
