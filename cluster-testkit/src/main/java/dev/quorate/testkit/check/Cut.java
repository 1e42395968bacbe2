package dev.quorate.testkit.check;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cut of links between nodes.
 *
 * @param links the links on which nothing is delivered
 */
record Cut(Set<Link> links, Manner manner) implements Fault {

    /** The direction from one node to another. */
    record Link(String from, String to) {}

    /** The fate of bytes sent on a cut link. */
    enum Manner {
        /** Silently held back and delivered late, as a TCP retransmission is. */
        LATE("delayed"),
        /** Silently held back; when the cut is healed, the connections are reset. */
        LOST("lost"),
        /** Connections are reset, and new ones are refused. */
        REFUSED("refused");

        private final String participle;

        Manner(String participle) {
            this.participle = participle;
        }
    }

    Cut {
        links = Set.copyOf(links);
    }

    @Override
    public String toString() {
        return links.stream()
                .map(link -> link.from + ">" + link.to)
                .sorted()
                .collect(Collectors.joining(" ", "", " " + manner.participle));
    }
}
