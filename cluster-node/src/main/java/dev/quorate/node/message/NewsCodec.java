package dev.quorate.node.message;

import dev.quorate.node.message.MemberNews.Condition;
import dev.quorate.storage.format.MalformedException;
import java.nio.ByteBuffer;

/** What members tell of themselves. The layout is drawn in {@link PeerCodec}. */
final class NewsCodec {

    static final int BYTES = 5 * Long.BYTES + Byte.BYTES;

    private NewsCodec() {}

    static void encode(MemberNews news, ByteBuffer to) {
        to.putLong(news.life()).put((byte) news.condition().code());
        to.putLong(news.bytes()).putLong(news.wallMillis());
        to.putLong(news.completeMillis()).putLong(news.settledMillis());
    }

    static MemberNews decode(ByteBuffer from) {
        Fields.require(from, BYTES);
        long life = from.getLong();
        Condition condition = conditionOf(from.get());
        return new MemberNews(
                life, condition, count(from), millis(from), millis(from), millis(from));
    }

    /** A moment since 1970. */
    static long millis(ByteBuffer from) {
        return notNegative(from.getLong(), "a moment before 1970");
    }

    private static long count(ByteBuffer from) {
        return notNegative(from.getLong(), "fewer than no bytes");
    }

    private static long notNegative(long value, String otherwise) {
        if (value < 0) {
            throw new MalformedException(otherwise);
        }
        return value;
    }

    private static Condition conditionOf(byte code) {
        for (Condition condition : Condition.values()) {
            if (condition.code() == code) {
                return condition;
            }
        }
        throw new MalformedException("condition " + code);
    }
}
