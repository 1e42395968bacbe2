package dev.quorate.router.message;

import dev.quorate.router.conditional.Accepted;
import dev.quorate.router.conditional.AcceptorAnswer;
import dev.quorate.router.conditional.Current;
import dev.quorate.router.conditional.Fate;
import dev.quorate.router.conditional.KeyEntry;
import dev.quorate.router.conditional.ProposalCodec;
import dev.quorate.router.conditional.Question;
import dev.quorate.storage.Entry;
import dev.quorate.storage.Timestamp;
import dev.quorate.storage.format.EntryCodec;
import dev.quorate.storage.format.FieldWriter;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of questions to an acceptor, after type, key and {@code from}, and of its answers,
 * after the type. Ballots and origins have 12 bytes, versions 20; see {@link ProposalCodec}.
 *
 * <pre>
 * prepare:   ballot | origin | count (1) | versions
 * accept:    ballot | 1 if it decides, or 0 (1) | proposal
 * close:     ballot | base | proposal
 * deny:      ballot | origin | digest (8)
 *
 * promised:  GC watermark, milliseconds since 1970 (8) | 1 (1) and the entry, or 0 (1)
 *            1 (1), ballot and proposal accepted to succeed the entry, or 0 (1)
 *            count (1), each: version, ballot and proposal accepted to succeed it
 *            1 (1), ballot and fate of the origin, or 0 (1)
 * done
 * outbid:    promised ballot
 * moved:     version
 * </pre>
 */
final class AcceptorCodec {

    static final byte PREPARE = 12;
    static final byte ACCEPT = 13;
    static final byte CLOSE = 14;
    static final byte DENY = 15;

    static final byte PROMISED = 11;
    static final byte DONE = 12;
    static final byte OUTBID = 13;
    static final byte MOVED = 14;

    private AcceptorCodec() {}

    // ---- Questions.

    static byte typeOf(Question question) {
        return switch (question) {
            case Question.Prepare prepare -> PREPARE;
            case Question.Accept accept -> ACCEPT;
            case Question.Close close -> CLOSE;
            case Question.Deny deny -> DENY;
        };
    }

    static void encode(byte[] key, Question question, FieldWriter to) {
        ProposalCodec.putStamp(question.ballot(), to);
        switch (question) {
            case Question.Prepare prepare -> {
                ProposalCodec.putStamp(prepare.origin(), to);
                to.u8(prepare.asked().size());
                prepare.asked().stream()
                        .sorted()
                        .forEach(version -> ProposalCodec.putVersion(version, to));
            }
            case Question.Accept accept ->
                    ProposalCodec.encode(key, accept.proposal(), to.flag(accept.decides()));
            case Question.Close close -> {
                ProposalCodec.putVersion(close.base(), to);
                ProposalCodec.encode(key, close.proposal(), to);
            }
            case Question.Deny deny -> {
                ProposalCodec.putStamp(deny.origin(), to);
                to.u64(deny.digest());
            }
        }
    }

    static Question decodeQuestion(byte type, byte[] key, ByteBuffer from) {
        Timestamp ballot = ProposalCodec.stamp(from);
        return switch (type) {
            case PREPARE -> {
                Timestamp origin = ProposalCodec.stamp(from);
                yield new Question.Prepare(ballot, versions(from), origin);
            }
            case ACCEPT -> {
                boolean decides = Fields.flag("presence", from);
                yield new Question.Accept(ballot, ProposalCodec.decode(key, from), decides);
            }
            case CLOSE ->
                    new Question.Close(
                            ballot, ProposalCodec.version(from), ProposalCodec.decode(key, from));
            case DENY ->
                    new Question.Deny(
                            ballot, ProposalCodec.stamp(from), ProposalCodec.digest(from));
            default -> throw new MalformedException("question " + type);
        };
    }

    private static Set<Timestamp> versions(ByteBuffer from) {
        int count = Fields.count(Question.Prepare.MAX_ASKED, from);
        Set<Timestamp> versions = new HashSet<>();
        for (int i = 0; i < count; i++) {
            versions.add(ProposalCodec.version(from));
        }
        return versions;
    }

    // ---- Answers.

    static byte typeOf(AcceptorAnswer answer) {
        return switch (answer) {
            case AcceptorAnswer.Promised promised -> PROMISED;
            case AcceptorAnswer.Done done -> DONE;
            case AcceptorAnswer.Outbid outbid -> OUTBID;
            case AcceptorAnswer.Moved moved -> MOVED;
            case AcceptorAnswer.Failed failed ->
                    throw new IllegalArgumentException("not an answer");
        };
    }

    static void encode(byte[] key, AcceptorAnswer answer, FieldWriter to) {
        switch (answer) {
            case AcceptorAnswer.Promised promised -> encode(key, promised, to);
            case AcceptorAnswer.Done done -> {}
            case AcceptorAnswer.Outbid(Timestamp ballot) -> ProposalCodec.putStamp(ballot, to);
            case AcceptorAnswer.Moved(Timestamp now) -> ProposalCodec.putVersion(now, to);
            case AcceptorAnswer.Failed failed ->
                    throw new IllegalArgumentException("not an answer");
        }
    }

    private static void encode(byte[] key, AcceptorAnswer.Promised promised, FieldWriter to) {
        boolean isNothing = promised.entry().isNothing();
        to.u64(promised.watermarkMillis()).flag(!isNothing);
        if (!isNothing) {
            to.entry(KeyEntry.entry(key, promised.entry()));
        }
        Accepted pending = promised.pending();
        to.flag(pending != null);
        if (pending != null) {
            encode(key, pending, to);
        }
        to.u8(promised.asked().size());
        promised.asked().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(
                        asked -> {
                            ProposalCodec.putVersion(asked.getKey(), to);
                            encode(key, asked.getValue(), to);
                        });
        Fate fate = promised.fate();
        to.flag(fate != null);
        if (fate != null) {
            ProposalCodec.putStamp(fate.ballot(), to);
            ProposalCodec.encode(fate, to);
        }
    }

    private static void encode(byte[] key, Accepted accepted, FieldWriter to) {
        ProposalCodec.putStamp(accepted.ballot(), to);
        ProposalCodec.encode(key, accepted, to);
    }

    static AcceptorAnswer decodeAnswer(byte type, byte[] key, ByteBuffer from) {
        return switch (type) {
            case PROMISED -> decodePromised(key, from);
            case DONE -> AcceptorAnswer.Done.DONE;
            case OUTBID -> new AcceptorAnswer.Outbid(ProposalCodec.stamp(from));
            case MOVED -> new AcceptorAnswer.Moved(ProposalCodec.version(from));
            default -> throw new MalformedException("acceptor's answer " + type);
        };
    }

    private static AcceptorAnswer.Promised decodePromised(byte[] key, ByteBuffer from) {
        long watermarkMillis = Fields.millis(from);
        if (watermarkMillis >>> 48 != 0) {
            throw new MalformedException("GC watermark " + watermarkMillis);
        }
        Current entry =
                Fields.flag("presence", from)
                        ? KeyEntry.current(entry(key, from))
                        : Current.NOTHING;
        Accepted pending = Fields.flag("presence", from) ? accepted(key, from) : null;
        Map<Timestamp, Accepted> asked = new HashMap<>();
        for (int left = Fields.count(Question.Prepare.MAX_ASKED, from); left > 0; left--) {
            asked.put(ProposalCodec.version(from), accepted(key, from));
        }
        return new AcceptorAnswer.Promised(entry, watermarkMillis, pending, asked, fate(from));
    }

    private static Entry entry(byte[] key, ByteBuffer from) {
        Entry entry = EntryCodec.decode(from);
        if (!Arrays.equals(entry.key(), key)) {
            throw new MalformedException("the entry of another key");
        }
        return entry;
    }

    private static Accepted accepted(byte[] key, ByteBuffer from) {
        return ProposalCodec.decodeAccepted(key, ProposalCodec.stamp(from), from);
    }

    private static @Nullable Fate fate(ByteBuffer from) {
        return Fields.flag("presence", from)
                ? ProposalCodec.decodeFate(ProposalCodec.stamp(from), from)
                : null;
    }

    static boolean fits(AcceptorAnswer answer, Question question) {
        return switch (answer) {
            case AcceptorAnswer.Promised promised ->
                    question instanceof Question.Prepare prepare
                            && prepare.asked().containsAll(promised.asked().keySet());
            case AcceptorAnswer.Done done -> !(question instanceof Question.Prepare);
            case AcceptorAnswer.Outbid(Timestamp ballot) -> ballot.isAfter(question.ballot());
            case AcceptorAnswer.Moved moved ->
                    question instanceof Question.Accept || question instanceof Question.Close;
            case AcceptorAnswer.Failed failed -> false;
        };
    }
}
