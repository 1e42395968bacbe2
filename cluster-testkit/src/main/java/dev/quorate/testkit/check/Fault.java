package dev.quorate.testkit.check;

import java.util.Set;
import java.util.stream.Collectors;

/** A fault, which a step begins and another one ends. */
sealed interface Fault {

    /** SIGKILL ends the process of a node, until it is started. */
    record Kill(String node) implements Fault {}

    /** SIGSTOP pauses the process of a node, until it is resumed. */
    record Pause(String node) implements Fault {}

    /** Strangers connect to a node, until they disconnect. */
    record Strangers(String node) implements Fault {}

    default FaultKind kind() {
        return switch (this) {
            case Kill _ -> FaultKind.KILL;
            case Pause _ -> FaultKind.PAUSE;
            case Strangers _ -> FaultKind.STRANGERS;
            case Cut _ -> FaultKind.PARTITION;
        };
    }

    /** What it affects: a node, or links. */
    default String place() {
        return switch (this) {
            case Kill(String node) -> node;
            case Pause(String node) -> node;
            case Strangers(String node) -> node;
            case Cut cut -> cut.toString();
        };
    }

    /**
     * The beginning or the end of a fault.
     *
     * @param millis from the start of the schedule
     */
    record Step(long millis, Fault fault, boolean begins) {}

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
}
