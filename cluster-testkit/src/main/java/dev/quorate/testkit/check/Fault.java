package dev.quorate.testkit.check;

import java.util.Set;
import java.util.stream.Collectors;

/** A fault. One step begins it, and another step ends it. */
sealed interface Fault {

    /** SIGKILL ends the process of a node; the end of the fault starts it again. */
    record Kill(String place) implements Fault {}

    /** SIGSTOP pauses the process of a node; the end of the fault resumes it. */
    record Pause(String place) implements Fault {}

    /** A {@link LocalProcesses.ConnectionFlood} at a node. */
    record Strangers(String place) implements Fault {}

    default FaultKind kind() {
        return switch (this) {
            case Kill _ -> FaultKind.KILL;
            case Pause _ -> FaultKind.PAUSE;
            case Strangers _ -> FaultKind.STRANGERS;
            case Cut _ -> FaultKind.PARTITION;
        };
    }

    /** The affected node, or the cut links. */
    String place();

    /**
     * The beginning or the end of a fault.
     *
     * @param millis from the start of the schedule
     */
    record Step(long millis, Fault fault, boolean begins) {}

    /** A cut of links, on which nothing is delivered. */
    record Cut(Set<Link> links, Manner manner) implements Fault {

        record Link(String from, String to) {}

        /** The fate of bytes sent on a cut link. */
        enum Manner {
            /** Delivered when the cut is healed, as a TCP retransmission is. */
            LATE("delayed"),
            /** Not delivered: the connections are reset when the cut is healed. */
            LOST("lost"),
            /** Connections are reset, and new ones are refused. */
            REFUSED("refused");

            private final String participle;

            Manner(String participle) {
                this.participle = participle;
            }
        }

        @Override
        public String place() {
            return links.stream()
                    .map(link -> link.from + ">" + link.to)
                    .sorted()
                    .collect(Collectors.joining(" ", "", " " + manner.participle));
        }
    }
}
