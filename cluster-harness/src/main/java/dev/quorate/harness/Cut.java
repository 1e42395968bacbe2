package dev.quorate.harness;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * Nodes that do not reach each other for a while.
 *
 * @param links from whom nothing gets to whom
 */
public record Cut(Set<Link> links, Manner manner) {

    /** One way from one node to another. */
    public record Link(String from, String to) {}

    /** What becomes of what is sent. */
    public enum Manner {
        /** It is held back without a word, and arrives late, as what TCP sends again would. */
        LATE("held back"),
        /** It is held back without a word, and then its connections are gone. */
        LOST("swallowed"),
        /** Connections break, and new ones are refused. */
        REFUSED("refused");

        private final String participle;

        Manner(String participle) {
            this.participle = participle;
        }
    }

    public Cut {
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
