package dev.quorate.loadtest.fault;

import dev.quorate.harness.FaultKind;
import dev.quorate.loadtest.load.Load.Operation;
import java.util.List;

/**
 * What is measured.
 *
 * @param kinds each with a cluster of its own
 * @param operations of which the load consists, one after the other
 * @param warmUpSeconds of each operation before anything counts: with cold code the first pairs
 *     measure the compiler
 * @param seconds of each run that counts, before the fault and from a second after it
 * @param backSeconds of the run that begins when the node is back
 * @param pairs the number of pairs, whose medians are reported
 */
public record FaultPlan(
        List<FaultKind> kinds,
        List<Operation> operations,
        int connections,
        int keys,
        int warmUpSeconds,
        int seconds,
        int backSeconds,
        int pairs) {

    /** Of a value. */
    static final int VALUE_BYTES = 100;

    static final String REPLICAS = "2/3";

    public FaultPlan {
        kinds = List.copyOf(kinds);
        operations = List.copyOf(operations);
    }
}
