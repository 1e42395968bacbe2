package dev.quorate.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** What each node answered last, for the message of a failure. */
final class Problems {

    private final Map<String, String> byNode = new LinkedHashMap<>();
    private int attempts;

    void add(String node, Object problem) {
        attempts++;
        byNode.remove(node);
        byNode.put(node, problem.toString());
    }

    /** One line for each node, after a sentence. */
    String after(String sentence) {
        StringBuilder message = new StringBuilder(sentence);
        message.append(attempts == 1 ? " 1 attempt." : " " + attempts + " attempts.");
        byNode.forEach(
                (node, problem) -> message.append('\n').append(node).append(' ').append(problem));
        return message.toString();
    }
}
