package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class StopQuestionTest extends CommandToANode {

    private volatile String answer = "";

    @Override
    String next() {
        return answer;
    }

    private String ask(String next) throws LocalFailure {
        answer = next;
        return RollingRestart.whyNotStop(NodeAccess.NONE, "n1", url());
    }

    private static String problem(int status, String detail) {
        return "HTTP/1.1 %d No\r\n\r\n{\"status\":%d,\"detail\":\"%s\",\"reasons\":[\"x\"]}\n"
                .formatted(status, status, detail);
    }

    @Test
    void aNodeMayStopOrSaysWhyNot() throws Exception {
        assertThat(ask("HTTP/1.1 200 OK\r\n\r\nThis node can stop.\n")).isEmpty();
        assertThat(asked).containsExactly("GET /admin/can-stop HTTP/1.1");
        assertThat(ask(problem(503, "n3 is down."))).isEqualTo("n3 is down.");
        assertThat(ask("HTTP/1.1 503 Busy\r\n\r\n")).isEqualTo("503 Service Unavailable");
    }

    @Test
    void whatIsNoAnswerIsAReason() throws Exception {
        assertThat(ask("")).contains("received no bytes");
        close();
        assertThat(ask("")).contains("cannot be asked");
    }

    @Test
    void aRefusalEndsTheCommand() {
        for (int status : new int[] {400, 401, 403, 421, 500}) {
            assertThatThrownBy(() -> ask(problem(status, "This needs a token.")))
                    .isInstanceOf(LocalFailure.class)
                    .hasMessage(
                            "n1 does not say whether it may stop. It answers: This needs a token.");
        }
    }
}
