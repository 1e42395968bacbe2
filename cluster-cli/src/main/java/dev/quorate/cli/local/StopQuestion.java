package dev.quorate.cli.local;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The question to a node whether it may stop: {@code GET /admin/can-stop}. */
final class StopQuestion {

    private static final Pattern DETAIL = Pattern.compile("\"detail\":\"([^\"\\\\]*)\"");

    private StopQuestion() {}

    /**
     * Why a node must not stop now, in a sentence; empty if it may. A node that cannot be reached
     * is such a reason.
     *
     * @throws LocalFailure if it does not say: it needs a token, or does not know the question
     */
    static String whyNotStop(NodeAccess access, String name, String url) throws LocalFailure {
        Node.Answer answer;
        try {
            answer = Node.ask(access, "GET", url, "/admin/can-stop");
        } catch (LocalFailure e) {
            return String.valueOf(e.getMessage());
        }
        Matcher detail = DETAIL.matcher(answer.text());
        String said = detail.find() ? detail.group(1) : answer.statusLine();
        return switch (answer.status()) {
            case 200 -> "";
            case 503 -> said;
            default ->
                    throw new LocalFailure(
                            name + " does not say whether it may stop. It answers: " + said);
        };
    }
}
