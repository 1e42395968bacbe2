package dev.quorate.testkit.check;

import dev.quorate.testkit.check.Fault.Cut.Link;
import dev.quorate.testkit.check.Fault.Cut.Manner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * A relay for each ordered pair of nodes: requests of the first node to the second pass through it,
 * and so do their answers.
 */
final class RelayNetwork implements AutoCloseable {

    /** By source node, then by destination node. Immutable. */
    private final Map<String, Map<String, Relay>> relays = new TreeMap<>();

    /** Guarded by this. */
    private final List<Fault.Cut> cuts = new ArrayList<>();

    RelayNetwork(List<String> nodes, ToIntFunction<String> peerPort) throws IOException {
        try {
            for (String from : nodes) {
                Map<String, Relay> own = new TreeMap<>();
                relays.put(from, own);
                for (String to : nodes) {
                    if (!to.equals(from)) {
                        InetAddress host = InetAddress.getLoopbackAddress();
                        int port = peerPort.applyAsInt(to);
                        own.put(to, new Relay(new InetSocketAddress(host, port)));
                    }
                }
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** The relays to a node's peers, as the option {@code peer-addresses} of the node. */
    String addressesFor(String node) {
        return relays.getOrDefault(node, Map.of()).entrySet().stream()
                .map(relay -> relay.getKey() + "=127.0.0.1:" + relay.getValue().port())
                .collect(Collectors.joining(","));
    }

    synchronized void cut(Fault.Cut cut) {
        cuts.add(cut);
        apply();
    }

    /** Ends a cut. Other cuts of the same links remain. */
    synchronized void heal(Fault.Cut cut) {
        if (!cuts.remove(cut)) {
            return;
        }
        if (cut.manner() == Manner.LOST) {
            for (Link link : cut.links()) {
                relay(link.from(), link.to()).breakAll();
                relay(link.to(), link.from()).breakAll();
            }
        }
        apply();
    }

    private Relay relay(String from, String to) {
        Relay relay = relays.getOrDefault(from, Map.of()).get(to);
        if (relay == null) {
            throw new IllegalArgumentException("No relay from " + from + " to " + to);
        }
        return relay;
    }

    private void apply() {
        relays.forEach((from, own) -> own.forEach((to, relay) -> apply(relay, from, to)));
    }

    private void apply(Relay relay, String from, String to) {
        Link there = new Link(from, to);
        Link back = new Link(to, from);
        Set<Relay.Way> paused = EnumSet.noneOf(Relay.Way.class);
        boolean refuses = false;
        for (Fault.Cut cut : cuts) {
            // A refusing cut affects the connecting side and pauses no direction.
            if (cut.manner() == Manner.REFUSED) {
                refuses |= cut.links().contains(there);
                continue;
            }
            if (cut.links().contains(there)) {
                paused.add(Relay.Way.THERE);
            }
            if (cut.links().contains(back)) {
                paused.add(Relay.Way.BACK);
            }
        }
        relay.cut(refuses);
        relay.pause(paused);
    }

    @Override
    public void close() {
        relays.values().forEach(own -> own.values().forEach(Relay::close));
    }
}
