package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.report.Scenario;
import dev.quorate.loadtest.report.ScenarioResult.Published;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The scenarios of one report. */
public enum ScenarioSet {
    ONE("One node", "one", 1, "1/1"),
    SHARDED("Three nodes, sharded", "sharded", 3, "1/1"),
    /** Three nodes, each key on all of them, with majority quorums. */
    QUORUM("Three nodes, quorum", "quorum", 3, "2/3"),
    /** The loads of published reports of other implementations of this design. */
    KNOWN("Known reports", "known", 3, "2/3");

    private static final int VALUE_BYTES = 100;
    private static final int MIB = 1 << 20;
    private static final String REPORTS = "reports of this design on other machines";

    /**
     * Name, operation, nodes, replicas, threads, connections, rate (0: none), published requests a
     * second, published p99 in ms (0: none), and a description.
     */
    private static final String KNOWN_LOADS =
            """
            one-put-64     | PUT     | 1 | 1/1 | 64 |  64 | 100000 | 100000 | 1.89 | wrk2, 64 threads and 64 connections, one node, in memory until flushed
            one-get-64     | GET     | 1 | 1/1 | 64 |  64 | 100000 | 100000 | 1.83 | wrk2, 64 threads and 64 connections, one node, in memory until flushed
            one-put-1      | PUT_NEW | 1 | 1/1 |  1 |   1 |      0 |  19800 | 2000 | wrk2, 1 thread and 1 connection, one node; p99 while a table is flushed
            one-get-1      | GET     | 1 | 1/1 |  1 |   1 |      0 |    288 |    0 | wrk2, 1 thread and 1 connection, one node, many tables
            one-put-200    | PUT     | 1 | 1/1 |  2 | 200 |   2000 |   2000 |  3.6 | wrk2, 200 connections, one node that flushes beside its requests
            one-get-200    | GET     | 1 | 1/1 |  2 | 200 |   2000 |   2000 |  2.2 | wrk2, 200 connections, one node that flushes beside its requests
            sharded-put-64 | PUT     | 3 | 1/1 | 64 |  64 |  10000 |  10000 |  3.1 | wrk2, three nodes, each key on one
            sharded-get-64 | GET     | 3 | 1/1 | 64 |  64 |  10000 |  10000 | 1.96 | wrk2, three nodes, each key on one
            """;

    private static final String KNOWN_PUTS = ": 0.9 to 1.3 thousand a second";
    private static final String KNOWN_GETS =
            ": 8 to 11.5 thousand a second; of 2.4 million answers two million were errors";

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

    /** All scenarios, in the order of the measurements. */
    public List<Scenario> all() {
        return this == KNOWN ? known() : usual();
    }

    /** The few most significant scenarios. */
    public List<Scenario> quick() {
        return this == KNOWN
                ? known().stream().filter(each -> each.name().startsWith("known-sharded")).toList()
                : List.of(
                        of("put", Operation.PUT, replicas, 64),
                        of("get", Operation.GET, replicas, 64));
    }

    private List<Scenario> usual() {
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
        Scenario.RateRule asAnswered = new Scenario.RateRule.AsAnswered();
        all.add(of("range", Operation.RANGE, replicas, 1, VALUE_BYTES, asAnswered));
        all.add(of("delete", Operation.DELETE, replicas, 64));
        if (this == QUORUM) {
            all.add(of("put-1mib", Operation.PUT, replicas, 16, MIB, asAnswered));
            all.add(of("get-1mib", Operation.GET, replicas, 16, MIB, asAnswered));
            all.add(of("put-16mib", Operation.PUT, replicas, 2, 16 * MIB, asAnswered));
            all.add(of("get-16mib", Operation.GET, replicas, 2, 16 * MIB, asAnswered));
            Scenario.RateRule fromStart = new Scenario.RateRule.FromStart();
            all.add(of("fresh", Operation.PUT, replicas, 64, VALUE_BYTES, fromStart));
            all.add(of("growing", Operation.PUT_NEW, replicas, 64, 400, fromStart));
        }
        return all;
    }

    private Scenario of(String name, Operation operation, String asked, int connections) {
        return of(name, operation, asked, connections, VALUE_BYTES, new Scenario.RateRule.Share());
    }

    private Scenario of(
            String name,
            Operation operation,
            String asked,
            int connections,
            int valueBytes,
            Scenario.RateRule rate) {
        return new Scenario(
                prefix + "-" + name,
                title(operation, asked, Clients.of(connections))
                        + (valueBytes == VALUE_BYTES ? "" : ", values of " + size(valueBytes))
                        + (rate instanceof Scenario.RateRule.FromStart ? ", from the start" : ""),
                nodes,
                operation,
                asked,
                Clients.of(connections),
                valueBytes,
                rate,
                name.equals("put") || name.equals("get"),
                null);
    }

    private static List<Scenario> known() {
        List<Scenario> all = new ArrayList<>();
        KNOWN_LOADS.lines().map(ScenarioSet::known).forEach(all::add);
        for (String replicas : List.of("2/3", "3/3")) {
            for (int threads : List.of(1, 2, 4)) {
                String name = replicas.charAt(0) + "of3-%s-" + threads;
                String rest = " | 3 | " + replicas + " | " + threads + " | 4 | 0 | ";
                String what =
                        " | 0 | %s, %d threads and 4 connections".formatted(replicas, threads);
                String put = rest + "1300" + what;
                all.add(known(name.formatted("put") + " | PUT" + put + KNOWN_PUTS));
                if (threads == 4) {
                    String overwriting = ", without overwriting" + KNOWN_PUTS;
                    all.add(known(name.formatted("put-new") + " | PUT_NEW" + put + overwriting));
                }
                String get = rest + "11500" + what + KNOWN_GETS;
                all.add(known(name.formatted("get") + " | GET" + get));
            }
        }
        return all;
    }

    private static Scenario known(String line) {
        List<String> columns = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
        String name = columns.get(0);
        Operation operation = Operation.valueOf(columns.get(1));
        int nodes = Integer.parseInt(columns.get(2));
        String replicas = columns.get(3);
        Clients clients =
                new Clients(Integer.parseInt(columns.get(4)), Integer.parseInt(columns.get(5)));
        int rate = Integer.parseInt(columns.get(6));
        return new Scenario(
                "known-" + name,
                (nodes == 1 ? "one node, " : "three nodes, ") + title(operation, replicas, clients),
                nodes,
                operation,
                replicas,
                clients,
                VALUE_BYTES,
                rate == 0 ? new Scenario.RateRule.AsAnswered() : new Scenario.RateRule.Fixed(rate),
                name.endsWith("-64") || name.equals("2of3-put-4"),
                new Published(
                        REPORTS,
                        Double.parseDouble(columns.get(7)),
                        Double.parseDouble(columns.get(8)),
                        columns.get(9)));
    }

    private static String title(Operation operation, String replicas, Clients clients) {
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
        String connections = counted(clients.connections(), "connection");
        boolean isUsual = clients.equals(Clients.of(clients.connections()));
        String threads = isUsual ? "" : ", " + counted(clients.threads(), "thread");
        return what + " " + replicas + ", " + connections + threads;
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static String size(int bytes) {
        return bytes % MIB == 0 ? bytes / MIB + " MiB" : bytes + " bytes";
    }
}
