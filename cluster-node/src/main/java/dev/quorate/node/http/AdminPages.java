package dev.quorate.node.http;

/** What an operator looks at, served beside the client API. */
public interface AdminPages {

    /**
     * Answers a GET (or HEAD) of {@code /livez}, {@code /readyz}, {@code /metrics} or {@code /}.
     * Called on a selector thread: what takes long is answered from another.
     */
    void page(String path, HttpExchange exchange);
}
