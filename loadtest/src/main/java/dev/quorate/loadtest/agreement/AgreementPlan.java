package dev.quorate.loadtest.agreement;

import dev.quorate.loadtest.load.Load;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import java.util.List;

/**
 * The loads that two load generators send by turns.
 *
 * @param rate requests a second
 * @param warmUpSeconds of each load, with every answer looked at, and then of each run
 * @param seconds of each run that count
 * @param turns runs of each load generator
 */
public record AgreementPlan(
        int keys, Load.Clients clients, int rate, int warmUpSeconds, int seconds, int turns) {

    /** What is sent, and how many replicas have to answer. */
    public record Case(String name, Operation operation, String replicas) {}

    /** The size of a value, and of the static answer. */
    public static final int VALUE_BYTES = 100;

    static final List<Case> CASES =
            List.of(
                    new Case("static", Operation.STATIC, "1/1"),
                    new Case("GET 2/3", Operation.GET, "2/3"),
                    new Case("PUT 2/3", Operation.PUT, "2/3"));

    Load warmUp(Case each, String url) {
        return load(each, url, Manner.CHECKED, new Load.Timing(0, warmUpSeconds, rate));
    }

    Load run(Case each, String url) {
        return load(each, url, Manner.TIMED, new Load.Timing(warmUpSeconds, seconds, rate));
    }

    private Load load(Case each, String url, Manner manner, Load.Timing timing) {
        Load.Requests requests =
                Load.Requests.of(each.operation(), each.replicas(), keys, VALUE_BYTES);
        return new Load(url, requests, clients, manner, timing);
    }
}
