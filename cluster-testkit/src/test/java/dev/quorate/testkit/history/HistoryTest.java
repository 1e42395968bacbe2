package dev.quorate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static History example() {
        Recorder recorder = new Recorder();
        Recorder.Call put = recorder.begin(7, "k\n1", new Action.Put("é"), 2, 3, 1_500_000);
        Recorder.Call get = recorder.begin(8, "k\n1", new Action.Get(), 1, 3, 1_600_000);
        get.end(new Answer.Absent(), 1_700_000);
        put.end(new Answer.Stored("5.n1"), 2_000_001);
        recorder.begin(7, "k\n1", new Action.Put("w"), 2, 3, 2_100_000)
                .end(new Answer.Indeterminate("504"), 3_000_000);
        recorder.begin(7, "k\n1", new Action.Get(), 2, 3, 3_000_000)
                .end(new Answer.Value("w", "6.n1"), 3_100_000);
        recorder.begin(8, "k\n1", new Action.Get(), 2, 3, 3_200_000)
                .end(new Answer.Indeterminate("closed"), 3_300_000);
        recorder.begin(8, "k\n1", new Action.Delete(), 2, 3, 3_400_000)
                .end(new Answer.Refused("503 \"draining\""), 3_500_000);
        recorder.begin(8, "k\n1", new Action.Delete(), 2, 3, 3_600_000);
        return recorder.history();
    }

    @Test
    void oneLineForEachOperation() {
        assertThat(example())
                .hasToString(
                        """
                        0 1.500000 ms - 3 2.000001 ms  client 7  "k\\u000a1"  PUT "\\u00e9" 2/3: \
                        stored (version 5.n1)
                        1 1.600000 ms - 2 1.700000 ms  client 8  "k\\u000a1"  GET 1/3: absent
                        4 2.100000 ms - 5 3.000000 ms  client 7  "k\\u000a1"  PUT "w" 2/3: \
                        indeterminate (504)
                        6 3.000000 ms - 7 3.100000 ms  client 7  "k\\u000a1"  GET 2/3: "w" \
                        (version 6.n1)
                        8 3.200000 ms - 9 3.300000 ms  client 8  "k\\u000a1"  GET 2/3: \
                        indeterminate (closed)
                        10 3.400000 ms - 11 3.500000 ms  client 8  "k\\u000a1"  DELETE 2/3: \
                        refused (503 \\"draining\\")
                        12 3.600000 ms - never  client 8  "k\\u000a1"  DELETE 2/3: indeterminate \
                        (no answer)
                        """);
    }

    @Test
    void jepsenReadsIt() throws IOException {
        StringBuilder edn = new StringBuilder();
        JepsenExport.write(example(), edn);
        assertThat(edn)
                .hasToString(
                        """
                        {:type :invoke, :f :write, :value ["k\\u000a1" "\\u00e9"], :process 0, \
                        :time 1500000, :index 0}
                        {:type :invoke, :f :read, :value ["k\\u000a1" nil], :process 1, \
                        :time 1600000, :index 1}
                        {:type :ok, :f :read, :value ["k\\u000a1" :absent], :process 1, \
                        :time 1700000, :index 2}
                        {:type :ok, :f :write, :value ["k\\u000a1" "\\u00e9"], :process 0, \
                        :time 2000001, :index 3}
                        {:type :invoke, :f :write, :value ["k\\u000a1" "w"], :process 0, \
                        :time 2100000, :index 4}
                        {:type :info, :f :write, :value ["k\\u000a1" "w"], :process 0, \
                        :time 3000000, :index 5, :error "504"}
                        {:type :invoke, :f :read, :value ["k\\u000a1" nil], :process 2, \
                        :time 3000000, :index 6}
                        {:type :ok, :f :read, :value ["k\\u000a1" "w"], :process 2, \
                        :time 3100000, :index 7}
                        {:type :invoke, :f :read, :value ["k\\u000a1" nil], :process 1, \
                        :time 3200000, :index 8}
                        {:type :fail, :f :read, :value ["k\\u000a1" nil], :process 1, \
                        :time 3300000, :index 9, :error "closed"}
                        {:type :invoke, :f :write, :value ["k\\u000a1" :absent], :process 1, \
                        :time 3400000, :index 10}
                        {:type :fail, :f :write, :value ["k\\u000a1" :absent], :process 1, \
                        :time 3500000, :index 11, :error "503 \\"draining\\""}
                        {:type :invoke, :f :write, :value ["k\\u000a1" :absent], :process 1, \
                        :time 3600000, :index 12}
                        """);
    }

    @Test
    void jepsenReadsConditionalWrites() throws IOException {
        History history =
                new HistoryBuilder()
                        .withVersions()
                        .putIf(0, 1, "a", new HistoryCondition.Absent())
                        .unmetPut(2, 3, "b", new HistoryCondition.Absent(), "a")
                        .deleteIf(4, 5, new HistoryCondition.Is("a"))
                        .maybePutIf(6, 7, "c", new HistoryCondition.Is("a"))
                        .history();
        StringBuilder edn = new StringBuilder();
        JepsenExport.write(history, edn);
        assertThat(edn.toString().lines().map(line -> line.replaceAll(", :(process|time).*", "")))
                .containsExactly(
                        "{:type :invoke, :f :cas, :value [\"a\" [:absent \"a\"]]",
                        "{:type :ok, :f :cas, :value [\"a\" [:absent \"a\"]]",
                        "{:type :invoke, :f :cas, :value [\"a\" [:absent \"b\"]]",
                        "{:type :fail, :f :cas, :value [\"a\" [:absent \"b\"]]",
                        "{:type :invoke, :f :cas, :value [\"a\" [\"a\" :absent]]",
                        "{:type :ok, :f :cas, :value [\"a\" [\"a\" :absent]]",
                        "{:type :invoke, :f :cas, :value [\"a\" [\"a\" \"c\"]]",
                        "{:type :info, :f :cas, :value [\"a\" [\"a\" \"c\"]]");
        assertThat(history.toString())
                .contains("PUT \"a\" if absent 2/3: stored (version of a)")
                .contains("PUT \"b\" if absent 2/3: condition not met (version of a)")
                .contains("DELETE if \"a\" 2/3: deleted");
    }

    @Test
    void theDigestIsThatOfTheOperations() {
        long seed = 42;
        int[][] specs = {{2, 3}};
        History one = new QuorumModel(new Random(seed), specs, true).run(200);
        History same = new QuorumModel(new Random(seed), specs, true).run(200);
        History other = new QuorumModel(new Random(seed + 1), specs, true).run(200);
        assertThat(one.digest()).isEqualTo(same.digest()).isNotEqualTo(other.digest());
        assertThat(new HistoryBuilder().put(0, 1, "v").history().digest())
                .isEqualTo("604d91cd531b955591cd4069fda49e4590a7e195af53d3bf894086cf03c12a4b");
    }

    @Test
    void valuesHaveToBeUnique() {
        HistoryBuilder history = new HistoryBuilder().put(0, 1, "v").put(2, 3, "v");
        assertThatThrownBy(history::history)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Two PUTs of key \"a\" have the value \"v\"; every PUT needs one of its"
                                + " own.");
    }

    @Test
    void anAnswerFitsWhatWasAsked() {
        Recorder recorder = new Recorder();
        Recorder.Call call = recorder.begin(0, "k", new Action.Get(), 2, 3, 0);
        assertThatThrownBy(() -> call.end(new Answer.Stored(""), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'stored' is not an answer to GET.");
        call.end(new Answer.Absent(), 2);
        assertThatThrownBy(() -> call.end(new Answer.Absent(), 3))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void manyThreadsReportTogether() {
        Recorder recorder = new Recorder();
        try (ExecutorService clients = Executors.newFixedThreadPool(4)) {
            for (int client = 0; client < 4; client++) {
                int number = client;
                clients.execute(
                        () -> {
                            for (int i = 0; i < 1_000; i++) {
                                Action put = new Action.Put(number + "/" + i);
                                recorder.begin(number, "k", put, 2, 3, i)
                                        .end(new Answer.Stored(""), i + 1L);
                            }
                        });
            }
        }
        History history = recorder.history();
        assertThat(history.operations())
                .hasSize(4_000)
                .allMatch(o -> o.began().isBefore(o.ended()))
                .extracting(o -> o.began().order())
                .doesNotHaveDuplicates();
    }
}
