package dev.quorate.loadtest.conditional;

import dev.quorate.harness.CommandException;
import dev.quorate.loadtest.bench.RefusedFigureException;
import dev.quorate.loadtest.conditional.ConditionalPlan.Case;
import dev.quorate.loadtest.conditional.ConditionalPlan.Kind;
import java.net.URI;

/** PUTs with {@code If-Match} at {@code 2/3}: each client rewrites a key of its own. */
public final class ConditionalPuts {

    private ConditionalPuts() {}

    /**
     * Writes that succeed, for each second.
     *
     * @param url of a node
     * @throws RefusedFigureException if an answer is wrong
     * @throws CommandException if the node does not answer
     */
    public static double perSecond(String url, int clients, int valueBytes, int seconds)
            throws RefusedFigureException, CommandException {
        Case each = new Case("cas", Kind.CONDITIONAL_PUT, clients, 1);
        URI node = URI.create(url);
        return new Clients(_ -> new QuorateConnection(node, ""), each, valueBytes, System::nanoTime)
                .run(seconds)
                .perSecond();
    }
}
