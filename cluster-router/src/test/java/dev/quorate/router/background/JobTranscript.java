package dev.quorate.router.background;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.message.AnswerCallback;
import dev.quorate.router.message.ComparedRange;
import dev.quorate.router.message.MemberState;
import dev.quorate.router.message.MemberStates;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.message.ReplicaRequest;
import dev.quorate.router.replica.MemoryStore;
import dev.quorate.router.replica.Replica;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A script of events, each a line, and the steps that a job takes at them, each a line that is
 * indented. An entry is its key and its timestamp in milliseconds, {@code a5}, which is its value
 * too; {@code -a5} is a tombstone. An answer belongs to the oldest exchange with its member:
 *
 * <pre>
 * begin
 * after the pause
 * n2 sends a5 b6 [, and has more]
 * n2 streams a5 b6, then from c     or: , and no more
 * n2 is whole [, complete 20] [, gc 10]
 * n2 has the same
 * n2 lists a5 b6
 * n2 holds a5                       or: nothing
 * n2 stored [, and holds 9]
 * n2 fails TIMEOUT
 * written
 * not written DISK_FULL
 * </pre>
 *
 * @param <X> the exchanges of the job
 */
public final class JobTranscript<X> {

    private static final int MAX_STEPS = 100;

    private final Job<X> job;
    private final MemoryStore store;
    private final Consumer<String> others;
    private final List<Map.Entry<X, String>> asked = new ArrayList<>();
    private Step.@Nullable Write<X> writing;
    private boolean pausing;
    private boolean over;

    /**
     * @param store where its entries are written
     * @param others takes the events that are not above
     */
    public JobTranscript(Job<X> job, MemoryStore store, Consumer<String> others) {
        this.job = job;
        this.store = store;
        this.others = others;
    }

    /** Runs the events of a script: the steps have to be the same. */
    public void assertSteps(String script) {
        StringBuilder actual = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (!line.startsWith(" ")) {
                actual.append(line).append('\n');
                take(line);
                steps().forEach(step -> actual.append("    ").append(step).append('\n'));
            }
        }
        assertThat(actual.toString()).isEqualTo(script);
    }

    /** A replica of which a job knows no more than who it is. */
    public static Replica replica(Member member) {
        return new Replica() {
            @Override
            public Member member() {
                return member;
            }

            @Override
            public void ask(ReplicaRequest request, long deadlineNanos, AnswerCallback callback) {
                throw new IllegalStateException("a job asks nobody itself");
            }
        };
    }

    /** {@code a5}, or {@code -a5}; three members own it. */
    public static Entry entry(String text) {
        boolean isTombstone = text.startsWith("-");
        String rest = isTombstone ? text.substring(1) : text;
        byte[] key = rest.substring(0, 1).getBytes(UTF_8);
        Timestamp timestamp = Timestamp.of(Long.parseLong(rest.substring(1)), 0, 0);
        return isTombstone
                ? Entry.tombstone(key, timestamp, 3)
                : Entry.value(key, timestamp, rest.getBytes(UTF_8), 3);
    }

    private static List<Entry> entries(String text) {
        return text.isBlank()
                ? List.of()
                : Arrays.stream(text.strip().split(" ", -1)).map(JobTranscript::entry).toList();
    }

    private static String text(Entry entry) {
        return (entry.isTombstone() ? "-" : "")
                + new String(entry.key(), UTF_8)
                + entry.timestamp().wallMillis();
    }

    /** Has entries stored at once. */
    public static void store(MemoryStore store, String text) {
        for (Entry entry : entries(text)) {
            store.put(entry);
        }
    }

    // ---- events

    private void take(String line) {
        switch (line) {
            case "begin" -> {}
            case "after the pause" -> {
                assertThat(pausing).as("the job pauses").isTrue();
                pausing = false;
            }
            case "written" -> {
                Step.Write<X> write = takeWrite();
                for (Entry entry : write.entries()) {
                    store(store, text(entry));
                }
                job.wrote(write.exchange(), null);
            }
            default -> takeAnswer(line);
        }
    }

    private Step.Write<X> takeWrite() {
        Step.Write<X> write = writing;
        assertThat(write).as("the job writes").isNotNull();
        writing = null;
        return write;
    }

    private void takeAnswer(String line) {
        String[] words = line.split(" ", 3);
        if (words[0].equals("not")) {
            Failure reason = Failure.valueOf(words[2]);
            job.wrote(takeWrite().exchange(), new Failed(reason, "it is so"));
        } else if (line.matches("n\\d (sends|streams|is|has|lists|holds|stored,?|fails)\\b.*")) {
            Map.Entry<X, String> first =
                    asked.stream()
                            .filter(each -> each.getValue().equals(words[0]))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("not asked: " + line));
            asked.remove(first);
            job.answered(first.getKey(), answer(words[1], words.length == 3 ? words[2] : ""));
        } else {
            others.accept(line);
        }
    }

    private static ReplicaAnswer answer(String verb, String rest) {
        return switch (verb) {
            case "sends" -> {
                boolean hasMore = rest.endsWith(", and has more");
                yield new ReplicaAnswer.Page(entries(rest.replace(", and has more", "")), !hasMore);
            }
            case "streams" -> {
                String[] parts = rest.split(", ", 2);
                yield new ReplicaAnswer.StreamedPage(
                        entries(parts[0]),
                        parts[1].equals("and no more")
                                ? null
                                : parts[1].replace("then from ", "").getBytes(UTF_8));
            }
            case "is" -> new ReplicaAnswer.Announced(state(rest));
            case "has" -> new ReplicaAnswer.Compared(ComparedRange.Same.SAME);
            case "lists" ->
                    new ReplicaAnswer.Compared(
                            new ComparedRange.Listing(
                                    entries(rest).stream().map(JobTranscript::listed).toList()));
            case "holds" ->
                    rest.equals("nothing")
                            ? ReplicaAnswer.Absent.ABSENT
                            : new ReplicaAnswer.Found(entry(rest));
            case "stored" -> new ReplicaAnswer.Stored(Timestamp.ZERO);
            case "stored," ->
                    new ReplicaAnswer.Stored(
                            Timestamp.of(Long.parseLong(rest.replace("and holds ", "")), 0, 0));
            case "fails" -> new Failed(Failure.valueOf(rest), "it is so");
            default -> throw new IllegalArgumentException(verb);
        };
    }

    private static ComparedRange.Listed listed(Entry entry) {
        CRC32C crc = new CRC32C();
        crc.update(entry.value());
        return new ComparedRange.Listed(
                entry.key(), entry.timestamp(), entry.isTombstone() ? 0 : (int) crc.getValue());
    }

    private static MemberState state(String text) {
        long complete = 0;
        long gc = 0;
        String[] parts = text.split(", ", -1);
        for (String part : parts) {
            if (part.startsWith("complete ")) {
                complete = Long.parseLong(part.substring(9));
            } else if (part.startsWith("gc ")) {
                gc = Long.parseLong(part.substring(3));
            }
        }
        MemberState.Condition condition =
                MemberState.Condition.valueOf(parts[0].toUpperCase(Locale.ROOT));
        return MemberStates.of(1, condition, 0, 1_000, complete, gc);
    }

    // ---- steps

    private List<String> steps() {
        List<String> steps = new ArrayList<>();
        while (!pausing && !over) {
            Step<X> step = job.next();
            if (step instanceof Step.Await) {
                return steps;
            }
            steps.add(take(step));
            assertThat(steps).as("steps without an event").hasSizeLessThan(MAX_STEPS);
        }
        return steps;
    }

    private String take(Step<X> step) {
        return switch (step) {
            case Step.Ask<X>(X exchange, Replica whom, ReplicaRequest request) -> {
                asked.add(Map.entry(exchange, whom.member().name()));
                yield text(whom.member().name(), request);
            }
            case Step.Write<X> write -> {
                assertThat(writing).as("writes one after the other").isNull();
                writing = write;
                yield "write " + texts(write.entries());
            }
            case Step.Pause<X> pause -> {
                pausing = true;
                yield "pause for " + pause.duration().toMillis() + " ms";
            }
            case Step.End<X> end -> {
                over = true;
                yield "end";
            }
            case Step.Await<X> await -> throw new IllegalStateException("no step");
        };
    }

    private static String texts(List<Entry> entries) {
        return entries.isEmpty()
                ? "nothing"
                : entries.stream().map(JobTranscript::text).collect(Collectors.joining(" "));
    }

    private static String text(String whom, ReplicaRequest request) {
        return switch (request) {
            case ReplicaRequest.Announce announce -> "ask " + whom + " for its state";
            case ReplicaRequest.Compare compare ->
                    "ask " + whom + " to compare " + range(compare.start(), compare.end());
            case ReplicaRequest.Read(byte[] key) ->
                    "ask " + whom + " for " + new String(key, UTF_8);
            case ReplicaRequest.Write write -> "send " + whom + " " + text(write.entry());
            case ReplicaRequest.ScanPage page ->
                    "ask " + whom + " for all " + range(page.start(), page.end());
            case ReplicaRequest.ScanReadable(byte[] start, byte[] end, int maxBytes) ->
                    "ask " + whom + " for what is readable " + range(start, end);
            case ReplicaRequest.StreamPage stream ->
                    "ask " + whom + " to stream " + range(stream.start(), null);
            case ReplicaRequest.Traced traced -> throw new IllegalArgumentException("traced");
            case ReplicaRequest.ReadDigest digest -> throw new IllegalArgumentException("digest");
            case ReplicaRequest.Inquire inquire -> throw new IllegalArgumentException("inquiry");
            case ReplicaRequest.StreamRecords stream ->
                    "ask " + whom + " to stream records " + range(stream.start(), null);
            case ReplicaRequest.ToAcceptor asked -> throw new IllegalArgumentException("acceptor");
            case ReplicaRequest.Propose asked -> throw new IllegalArgumentException("decree");
            case ReplicaRequest.Watch watch -> throw new IllegalArgumentException("wait");
            case ReplicaRequest.Changed changed -> throw new IllegalArgumentException("wait");
            case ReplicaRequest.Tell told -> throw new IllegalArgumentException("topology");
        };
    }

    private static String range(byte[] start, byte @Nullable [] end) {
        return "from "
                + (start.length == 0 || start[0] == 0 ? "the start" : key(start))
                + (end == null ? "" : " to " + key(end));
    }

    private static String key(byte[] key) {
        return new String(key, UTF_8).replace("\0", "+");
    }
}
