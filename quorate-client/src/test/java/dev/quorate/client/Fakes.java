package dev.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fake nodes and a client of theirs. */
final class Fakes implements AutoCloseable {

    final List<FakeNode> nodes;
    final QuorateClient client;

    Fakes(Duration deadline, FakeNode... nodes) {
        this(deadline, (name, key) -> new OperationListener.Observer() {}, nodes);
    }

    Fakes(Duration deadline, OperationListener listener, FakeNode... nodes) {
        this.nodes = List.of(nodes);
        this.client =
                QuorateClient.builder()
                        .nodes(this.nodes.stream().map(FakeNode::uri).toList())
                        .deadline(deadline)
                        .attemptTimeout(Duration.ofMillis(300))
                        .maxAnswerBytes(1 << 20)
                        .listener(listener)
                        .build();
    }

    /** All requests, of one node after the other. */
    List<FakeNode.Seen> seen() {
        List<FakeNode.Seen> all = new ArrayList<>();
        nodes.forEach(node -> all.addAll(node.seen()));
        return all;
    }

    @Override
    public void close() {
        client.close();
        nodes.forEach(FakeNode::close);
    }
}
