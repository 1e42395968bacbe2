package sample;

import dev.quorate.client.QuorateClient;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Counts the visits of pages. */
@Service
public class Visits {

    private final QuorateClient client;

    public Visits(QuorateClient client) {
        this.client = client;
    }

    public long visit(String page) {
        return Long.parseLong(
                client.update(
                        "visits/" + page,
                        old -> String.valueOf(old.map(Long::parseLong).orElse(0L) + 1)));
    }

    /** The number, which may be as old as the time to live of the cache. */
    @Cacheable("visits")
    public long recent(String page) {
        return client.get("visits/" + page).map(each -> Long.parseLong(each.text())).orElse(0L);
    }
}
