package dev.quorate.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code ./quorate repair}: what it asks, what it prints, and how it ends. */
class RepairCommandTest extends CommandToANode {

    private static final String LOSS =
            """
            loss 000012.sst-2-1a2b 2
            The table 000012.sst is damaged.
              from a to before b
              from x on
            """;

    private final Deque<String> answers = new ArrayDeque<>();

    @Override
    synchronized String next() {
        String answer = answers.poll();
        return answer == null ? "HTTP/1.1 500 Not In The Script\r\n\r\n" : answer;
    }

    private synchronized void answers(String... next) {
        answers.clear();
        answers.addAll(List.of(next));
        asked.clear();
    }

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body;
    }

    private static String accepted(String body) {
        return "HTTP/1.1 202 Accepted\r\n\r\n" + body;
    }

    private int run(String typed, String... arguments) {
        return execute(
                typed,
                Stream.concat(Stream.of("repair"), Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void aRepairIsBegunAndWatchedUntilItIsOver() {
        answers(
                accepted("round 3 running\nn2 running: 0 compared\nn3 waiting\n"),
                ok("round 3 running\nn2 agreed: 10 compared\nn3 running: 2 compared\n"),
                ok("round 3 agreed\nn2 agreed: 10 compared\nn3 agreed: 9 compared\n"));
        assertThat(run("", url())).isZero();
        assertThat(asked)
                .containsExactly(
                        "POST /admin/repair HTTP/1.1",
                        "GET /admin/repair HTTP/1.1",
                        "GET /admin/repair HTTP/1.1");
        assertThat(out.toString())
                .contains(url() + " with n2 agreed: 10 compared")
                .contains(url() + " with n3 agreed: 9 compared")
                .endsWith("All replicas agree." + System.lineSeparator());
    }

    @Test
    void eachNodeIsRepairedAndAllHaveToAgree() {
        answers(
                accepted("round 1 agreed\nn2 agreed: 1 compared\n"),
                accepted("round 7 not agreed\nn1 failed: 0 compared; no answer\n"));
        assertThat(run("", url(), url())).isEqualTo(1);
        assertThat(out.toString()).contains("n1 failed: 0 compared; no answer");
        assertThat(err.toString()).contains("Not all replicas are known to agree.");
    }

    @Test
    void anotherRoundIsNotMistakenForThisOne() {
        answers(
                accepted("round 3 running\nn2 running: 0 compared\n"),
                ok("round 4 running\nn2 running: 0 compared\n"));
        assertThat(run("", url())).isEqualTo(1);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aMalformedAnswerIsReported() throws IOException, InterruptedException {
        for (String nonsense :
                List.of(
                        "HTTP/1.1 503 Service Unavailable\r\n\r\n",
                        accepted(""),
                        accepted("round x running\n"),
                        accepted("round 3\n"),
                        "SSH-2.0\r\n\r\n",
                        "")) {
            answers(nonsense);
            assertThat(run("", url())).as(nonsense).isEqualTo(1);
            answers(nonsense);
            assertThat(run("2\n", url(), "--accept-loss")).as(nonsense).isEqualTo(1);
        }
        assertThat(err.toString()).contains("does not report its repair", "503");
        assertThat(run("", "nowhere")).isEqualTo(1);
        assertThat(run("", "--data", directory.toString())).isEqualTo(1);
        close();
        assertThat(run("", url())).isEqualTo(1);
        assertThat(err.toString()).contains("cannot be asked");
    }

    @Test
    void aLossIsShownAndAcceptedByItsNumber() {
        answers(
                ok("no loss 0\n"),
                ok(LOSS),
                accepted(""),
                ok(LOSS),
                ok("no loss 1\n"),
                ok("no loss 0\n"));
        assertThat(run("2\n", url(), url(), "--accept-loss")).isZero();
        assertThat(asked)
                .containsExactly(
                        "GET /admin/loss HTTP/1.1",
                        "GET /admin/loss HTTP/1.1",
                        "POST /admin/loss?accept=000012.sst-2-1a2b HTTP/1.1",
                        "GET /admin/loss HTTP/1.1",
                        "GET /admin/loss HTTP/1.1",
                        "GET /admin/loss HTTP/1.1");
        assertThat(out.toString())
                .contains("The table 000012.sst is damaged.", "  from x on", "number of these")
                .contains(url() + " has healed.");
    }

    @Test
    void nothingElseThanItsNumberAcceptsIt() {
        for (String typed : List.of("", "\n", "3\n", "y\n", "yes\n", "02\n", "2 2\n")) {
            answers(ok(LOSS));
            assertThat(run(typed, url(), "--accept-loss")).as(typed).isEqualTo(1);
            assertThat(asked).as(typed).containsExactly("GET /admin/loss HTTP/1.1");
            assertThat(err.toString()).contains("Nothing was changed.");
        }
    }

    @Test
    void theNextLossOfTheNodeIsAskedForAnew() {
        String next = LOSS.replace("000012", "000015").replace("1a2b 2", "1a2b 1");
        answers(ok(LOSS), accepted(""), ok(next), accepted(""), ok("no loss 0\n"));
        assertThat(run("2\n1\n", url(), "--accept-loss")).isZero();
        assertThat(asked).contains("POST /admin/loss?accept=000015.sst-2-1a2b HTTP/1.1");
        answers(ok(LOSS), accepted(""), ok(next));
        assertThat(run("2\n", url(), "--accept-loss")).isEqualTo(1);
        assertThat(asked).hasSize(3);
    }

    @Test
    void aLossThatChangedIsNotAccepted() {
        answers(ok(LOSS), "HTTP/1.1 409 Conflict\r\n\r\nlook again\n");
        assertThat(run("2\n", url(), "--accept-loss")).isEqualTo(1);
        assertThat(err.toString()).contains("409 Conflict: look again");
    }

    @Test
    void withoutAWaitingLossNothingIsAsked() {
        answers(ok("no loss 3\n"));
        assertThat(run("2\n", url(), "--accept-loss")).isZero();
        assertThat(out.toString()).contains("No node waits");
        assertThat(asked).hasSize(1);
    }
}
