package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.Scenario.RateRule;
import java.util.ArrayList;
import java.util.List;

/** The scenarios of one report. */
public enum ScenarioSet {
    ONE("One node", "one", 1, "1/1"),
    SHARDED("Three nodes, sharded", "sharded", 3, "1/1"),
    /** Three nodes, each key on all of them, with majority quorums. */
    QUORUM("Three nodes, quorum", "quorum", 3, "2/3");

    private static final int VALUE_BYTES = 100;
    private static final int MIB = 1 << 20;

    private final String title;
    private final String prefix;
    private final int nodes;
    private final String replicas;

    ScenarioSet(String title, String prefix, int nodes, String replicas) {
        this.title = title;
        this.prefix = prefix;
        this.nodes = nodes;
        this.replicas = replicas;
    }

    public String title() {
        return title;
    }

    /** The few most significant scenarios. */
    public List<Scenario> quick() {
        return List.of(
                of("put", Operation.PUT, replicas, 64), of("get", Operation.GET, replicas, 64));
    }

    /** All scenarios, in the order of the measurements. */
    public List<Scenario> all() {
        List<Scenario> all = new ArrayList<>(quick());
        all.add(of("put-new", Operation.PUT_NEW, replicas, 64));
        all.add(of("get-once", Operation.GET_ONCE, replicas, 64));
        all.add(of("get-absent", Operation.GET_ABSENT, replicas, 64));
        all.add(of("mixed", Operation.MIXED, replicas, 64));
        if (this == QUORUM) {
            all.add(of("put-if-match", Operation.PUT_IF_MATCH, replicas, 64));
            all.add(of("put-all", Operation.PUT, "3/3", 64));
            all.add(of("get-all", Operation.GET, "3/3", 64));
        }
        for (int connections : new int[] {1, 200}) {
            String end = connections == 1 ? "-alone" : "-" + connections;
            all.add(of("put" + end, Operation.PUT, replicas, connections));
            all.add(of("get" + end, Operation.GET, replicas, connections));
        }
        all.add(of("range", Operation.RANGE, replicas, 1, VALUE_BYTES, RateRule.AS_ANSWERED));
        all.add(of("delete", Operation.DELETE, replicas, 64));
        if (this == QUORUM) {
            all.add(of("put-1mib", Operation.PUT, replicas, 16, MIB, RateRule.AS_ANSWERED));
            all.add(of("get-1mib", Operation.GET, replicas, 16, MIB, RateRule.AS_ANSWERED));
            all.add(of("put-16mib", Operation.PUT, replicas, 2, 16 * MIB, RateRule.AS_ANSWERED));
            all.add(of("get-16mib", Operation.GET, replicas, 2, 16 * MIB, RateRule.AS_ANSWERED));
            all.add(of("fresh", Operation.PUT, replicas, 64, VALUE_BYTES, RateRule.FROM_START));
            all.add(of("growing", Operation.PUT_NEW, replicas, 64, 400, RateRule.FROM_START));
        }
        return all;
    }

    private Scenario of(String name, Operation operation, String asked, int connections) {
        return of(name, operation, asked, connections, VALUE_BYTES, RateRule.SHARE);
    }

    private Scenario of(
            String name,
            Operation operation,
            String asked,
            int connections,
            int valueBytes,
            RateRule rate) {
        return new Scenario(
                prefix + "-" + name,
                title(operation, asked, connections)
                        + (valueBytes == VALUE_BYTES ? "" : ", values of " + size(valueBytes))
                        + (rate == RateRule.FROM_START ? ", from the start" : ""),
                nodes,
                operation,
                asked,
                Clients.of(connections),
                valueBytes,
                rate,
                name.equals("put") || name.equals("get"));
    }

    private static String title(Operation operation, String replicas, int connections) {
        String what =
                switch (operation) {
                    case PUT_NEW -> "PUT of new keys";
                    case PUT_IF_MATCH -> "PUT with If-Match";
                    case GET_ONCE -> "GET of each key once";
                    case GET_ABSENT -> "GET of absent keys";
                    case MIXED -> "GET and PUT by turns";
                    case RANGE -> "Range of all keys";
                    case STATIC, GET, PUT, DELETE -> operation.name();
                };
        String end = connections == 1 ? " connection" : " connections";
        return what + " " + replicas + ", " + connections + end;
    }

    private static String size(int bytes) {
        return bytes % MIB == 0 ? bytes / MIB + " MiB" : bytes + " bytes";
    }
}
