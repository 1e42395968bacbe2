package dev.quorate.router.coordinator.readwrite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.router.coordinator.operation.Outcome;
import dev.quorate.router.message.Digest;
import dev.quorate.router.message.ReplicaAnswer;
import dev.quorate.router.message.ReplicaAnswer.Failed;
import dev.quorate.router.message.ReplicaAnswer.Failure;
import dev.quorate.router.quorum.Electorate;
import dev.quorate.router.quorum.QuorumSpec;
import dev.quorate.router.replica.Owner;
import dev.quorate.router.topology.Member;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;

/**
 * A script of events, each a line, and the steps that a round takes at them, each a line that is
 * indented. The words of an event:
 *
 * <pre>
 * n1 holds v5 "a" [from 2] [expires at 900]    an entry; from 3 replicas unless it says otherwise
 * n1 holds tombstone v5 [from 2]
 * n1 holds nothing
 * n1 has digest v5 "a"
 * n1 stored [and holds v7]
 * n1 fails TIMEOUT
 * </pre>
 */
final class Transcript {

    static final byte[] KEY = "key".getBytes(UTF_8);

    static final Entry NO_ENTRY = Entry.tombstone(KEY, Timestamp.ZERO, 1);

    private Transcript() {}

    /** Takes one event and returns the steps to which it leads. */
    @FunctionalInterface
    interface Interpreter {
        List<String> take(String event);
    }

    /** Runs the events of a script: the steps have to be the same. */
    static void assertSteps(String script, Interpreter interpreter) {
        StringBuilder actual = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (!line.startsWith(" ")) {
                actual.append(line).append('\n');
                for (String step : interpreter.take(line)) {
                    actual.append("    ").append(step).append('\n');
                }
            }
        }
        assertThat(actual.toString()).isEqualTo(script);
    }

    /** Replicas with these names, which are all that a round knows of them. */
    static Owner[] owners(List<String> names) {
        Owner[] owners = new Owner[names.size()];
        for (int i = 0; i < owners.length; i++) {
            Member member =
                    new Member(names.get(i), URI.create("http://" + names.get(i) + ":8080"));
            owners[i] = () -> member;
        }
        return owners;
    }

    /** {@code 2/3} of all; in a joint epoch, {@code 2/3 of n1 n2 n3 and 2/3 of n1 n2 n4}. */
    static Electorate electorate(String text, Owner[] owners) {
        String[] groups = text.split(" and ", 2);
        return groups.length == 1
                ? Electorate.of(spec(text))
                : Electorate.joint(
                        spec(groups[0]),
                        mask(groups[0], owners),
                        spec(groups[1]),
                        mask(groups[1], owners));
    }

    private static QuorumSpec spec(String group) {
        return QuorumSpec.parse(group.split(" ", 2)[0], QuorumSpec.MAX_FROM);
    }

    private static long mask(String group, Owner[] owners) {
        long mask = 0;
        for (String name : group.split(" of ", 2)[1].split(" ", -1)) {
            mask |= 1L << index(owners, name);
        }
        return mask;
    }

    static int index(Owner[] owners, String name) {
        return Arrays.stream(owners).map(Owner::name).toList().indexOf(name);
    }

    /** {@code v5}: the fifth millisecond of 1970. */
    static Timestamp version(String text) {
        return Timestamp.of(Long.parseLong(text.substring(1)), 0, 0);
    }

    static String version(Timestamp timestamp) {
        return "v" + timestamp.wallMillis();
    }

    /** What the words after the replica's name say. */
    static ReplicaAnswer answer(String words) {
        Scanner in = new Scanner(words);
        return switch (in.next()) {
            case "holds" -> held(in);
            case "has" -> {
                in.next("digest");
                yield new ReplicaAnswer.Digested(Digest.of(entry(in)));
            }
            case "stored" -> {
                Timestamp newest = Timestamp.ZERO;
                if (in.hasNext("and")) {
                    in.next("and");
                    in.next("holds");
                    newest = version(in.next());
                }
                yield new ReplicaAnswer.Stored(newest);
            }
            case "fails" -> new Failed(Failure.valueOf(in.next()), "said so");
            default -> throw new IllegalArgumentException(words);
        };
    }

    private static ReplicaAnswer held(Scanner in) {
        return in.hasNext("nothing")
                ? ReplicaAnswer.Absent.ABSENT
                : new ReplicaAnswer.Found(entry(in));
    }

    /** {@code tombstone v5}, or {@code v5 "value"}, and what may follow. */
    static Entry entry(Scanner in) {
        boolean isTombstone = in.hasNext("tombstone");
        if (isTombstone) {
            in.next();
        }
        Timestamp timestamp = version(in.next());
        byte[] value = isTombstone ? new byte[0] : in.next().replace("\"", "").getBytes(UTF_8);
        int from = 3;
        long expiresAtMillis = Entry.NEVER;
        while (in.hasNext()) {
            switch (in.next()) {
                case "from" -> from = in.nextInt();
                case "expires" -> {
                    in.next("at");
                    expiresAtMillis = in.nextLong();
                }
                default -> throw new IllegalArgumentException("neither from nor expires at");
            }
        }
        if (isTombstone) {
            return Entry.tombstone(KEY, timestamp, from);
        }
        return expiresAtMillis == Entry.NEVER
                ? Entry.value(KEY, timestamp, value, from)
                : Entry.expiring(KEY, timestamp, value, from, expiresAtMillis);
    }

    /** An outcome in the words of a script. */
    static String outcome(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Found(Entry entry) ->
                    "%s \"%s\""
                            .formatted(
                                    version(entry.timestamp()), new String(entry.value(), UTF_8));
            case Outcome.Missing missing ->
                    missing.deletedAt() == null
                            ? "nothing"
                            : "deleted at " + version(missing.deletedAt());
            case Outcome.Written(Timestamp timestamp) -> "written as " + version(timestamp);
            case Outcome.QuorumFailed failed ->
                    "quorum failed; done by %s; %s"
                            .formatted(failed.accepted(), failures(failed.failures()));
            case Outcome.TooOld tooOld -> "too old";
            case Outcome.VersionTaken taken -> "version taken";
            case Outcome.TooFarAhead ahead -> "too far ahead";
            case Outcome.TooLong tooLong -> "too long";
            case Outcome.Unmet unmet -> "condition unmet";
            case Outcome.Undecided undecided -> "undecided";
            case Outcome.NotJudged notJudged -> "not judged";
            case Outcome.Refused refused -> "refused, " + refused.reason();
        };
    }

    private static String failures(List<Outcome.ReplicaFailure> failures) {
        List<String> all = new ArrayList<>();
        for (Outcome.ReplicaFailure failure : failures) {
            all.add(failure.member() + " " + failure.reason().name().toLowerCase(Locale.ROOT));
        }
        return String.join(", ", all);
    }
}
