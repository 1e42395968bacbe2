package dev.quorate.loadtest.scenario;

import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.report.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The scenarios of one report. */
public enum ScenarioSet {
    /** Of a node by itself. */
    ONE("One node", "one", 1, "1/1"),
    /** Three nodes, each key on one of them. */
    SHARDED("Three nodes, sharded", "sharded", 3, "1/1"),
    /** Three nodes, each key on all of them, and a majority answers. */
    QUORUM("Three nodes, quorum", "quorum", 3, "2/3"),
    /** The loads of reports that others have published of this design. */
    KNOWN("Known reports", "known", 3, "2/3");

    private static final int VALUE_BYTES = 100;
    private static final String REPORTS = "reports of this design on other machines";

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

    /** For the head of the report. */
    public String title() {
        return title;
    }

    /** All of them, in the order in which they are measured. */
    public List<Scenario> all() {
        return this == KNOWN ? known() : usual();
    }

    /** The few most significant scenarios. */
    public List<Scenario> quick() {
        return this == KNOWN
                ? known().stream().filter(each -> each.name().startsWith("known-sharded")).toList()
                : List.of(
                        of("put", "PUT", Operation.PUT, replicas, Clients.of(64)).profiledToo(),
                        of("get", "GET", Operation.GET, replicas, Clients.of(64)).profiledToo());
    }

    private List<Scenario> usual() {
        List<Scenario> all = new ArrayList<>(quick());
        all.add(of("put-new", "PUT of new keys", Operation.PUT_NEW, replicas, Clients.of(64)));
        all.add(
                of(
                        "get-once",
                        "GET of each key once",
                        Operation.GET_ONCE,
                        replicas,
                        Clients.of(64)));
        all.add(of("mixed", "GET and PUT by turns", Operation.MIXED, replicas, Clients.of(64)));
        if (this == QUORUM) {
            all.add(of("put-all", "PUT", Operation.PUT, "3/3", Clients.of(64)));
            all.add(of("get-all", "GET", Operation.GET, "3/3", Clients.of(64)));
        }
        all.add(of("put-alone", "PUT", Operation.PUT, replicas, Clients.of(1)));
        all.add(of("get-alone", "GET", Operation.GET, replicas, Clients.of(1)));
        all.add(of("put-200", "PUT", Operation.PUT, replicas, Clients.of(200)));
        all.add(of("get-200", "GET", Operation.GET, replicas, Clients.of(200)));
        all.add(of("range", "Range of all keys", Operation.RANGE, replicas, Clients.of(1)));
        return all;
    }

    private static List<Scenario> known() {
        List<Scenario> all = new ArrayList<>();
        Clients each = new Clients(64, 64);
        String oneNode = "wrk2, 64 threads and 64 connections, one node, in memory until flushed";
        all.add(
                known(
                        "one-put-64",
                        Operation.PUT,
                        1,
                        "1/1",
                        each,
                        RateRule.fixed(100_000),
                        100_000,
                        1.89,
                        oneNode));
        all.add(
                known(
                        "one-get-64",
                        Operation.GET,
                        1,
                        "1/1",
                        each,
                        RateRule.fixed(100_000),
                        100_000,
                        1.83,
                        oneNode));
        String alone = "wrk2, 1 thread and 1 connection, one node";
        Clients one = new Clients(1, 1);
        all.add(
                known(
                        "one-put-1",
                        Operation.PUT_NEW,
                        1,
                        "1/1",
                        one,
                        RateRule.asAnswered(),
                        19_800,
                        2_000,
                        alone + "; p99 while a table is flushed"));
        all.add(
                known(
                        "one-get-1",
                        Operation.GET,
                        1,
                        "1/1",
                        one,
                        RateRule.asAnswered(),
                        288,
                        null,
                        alone + ", many tables"));
        String flush = "wrk2, 200 connections, one node that flushes beside its requests";
        Clients many = Clients.of(200);
        all.add(
                known(
                        "one-put-200",
                        Operation.PUT,
                        1,
                        "1/1",
                        many,
                        RateRule.fixed(2_000),
                        2_000,
                        3.6,
                        flush));
        all.add(
                known(
                        "one-get-200",
                        Operation.GET,
                        1,
                        "1/1",
                        many,
                        RateRule.fixed(2_000),
                        2_000,
                        2.2,
                        flush));
        String sharded = "wrk2, three nodes, each key on one";
        all.add(
                known(
                        "sharded-put-64",
                        Operation.PUT,
                        3,
                        "1/1",
                        each,
                        RateRule.fixed(10_000),
                        10_000,
                        3.1,
                        sharded));
        all.add(
                known(
                        "sharded-get-64",
                        Operation.GET,
                        3,
                        "1/1",
                        each,
                        RateRule.fixed(10_000),
                        10_000,
                        1.96,
                        sharded));
        for (String replicas : List.of("2/3", "3/3")) {
            for (int threads : List.of(1, 2, 4)) {
                Clients four = new Clients(threads, 4);
                String name = replicas.charAt(0) + "of3-";
                String put = "%s, %d threads and 4 connections".formatted(replicas, threads);
                all.add(
                        known(
                                name + "put-" + threads,
                                Operation.PUT,
                                3,
                                replicas,
                                four,
                                RateRule.asAnswered(),
                                1_300,
                                null,
                                put + ": 0.9 to 1.3 thousand a second"));
                if (threads == 4) {
                    all.add(
                            known(
                                    name + "put-new-4",
                                    Operation.PUT_NEW,
                                    3,
                                    replicas,
                                    four,
                                    RateRule.asAnswered(),
                                    1_300,
                                    null,
                                    put + ", without overwriting: 0.9 to 1.3 thousand a second"));
                }
                all.add(
                        known(
                                name + "get-" + threads,
                                Operation.GET,
                                3,
                                replicas,
                                four,
                                RateRule.asAnswered(),
                                11_500,
                                null,
                                put
                                        + ": 8 to 11.5 thousand a second; of 2.4 million answers two"
                                        + " million were errors"));
            }
        }
        return all;
    }

    private static Scenario known(
            String name,
            Operation operation,
            int nodes,
            String replicas,
            Clients clients,
            RateRule rate,
            double publishedPerSecond,
            @Nullable Number publishedP99,
            String what) {
        String title =
                "%s, %s %s"
                        .formatted(
                                nodes == 1 ? "one node" : "three nodes",
                                operation.name().replace('_', ' '),
                                replicas);
        Published published =
                new Published(
                        REPORTS,
                        publishedPerSecond,
                        publishedP99 == null ? 0 : publishedP99.doubleValue(),
                        what);
        boolean profiled = name.endsWith("-64") || name.equals("2of3-put-4");
        return new Scenario(
                "known-" + name,
                full(title, clients),
                nodes,
                operation,
                replicas,
                clients,
                VALUE_BYTES,
                rate,
                profiled,
                published);
    }

    private Scenario of(
            String name, String title, Operation operation, String asked, Clients clients) {
        return new Scenario(
                prefix + "-" + name,
                full(title + " " + asked, clients),
                nodes,
                operation,
                asked,
                clients,
                VALUE_BYTES,
                operation == Operation.RANGE ? RateRule.asAnswered() : RateRule.share(),
                false,
                null);
    }

    private static String full(String title, Clients clients) {
        return String.format(
                Locale.ROOT,
                "%s, %s%s",
                title,
                counted(clients.connections(), "connection"),
                clients.threads() <= 2 && clients.connections() > 4
                        ? ""
                        : ", " + counted(clients.threads(), "thread"));
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
