package dev.quorate.node.message;

/**
 * How far a life of a member is known to have come. Lives of one member follow each other: each
 * begins at the generation, or beyond it, that the one before reached.
 *
 * @param member its number
 * @param life of the process that said so; see {@link MemberState#life}
 * @param begunAt the generation that this life found on its disk
 * @param generation how far it has come, durably
 */
public record KnownLife(int member, long life, long begunAt, long generation) {

    public KnownLife {
        if (begunAt < 0 || generation < begunAt) {
            throw new IllegalArgumentException("from " + begunAt + " to " + generation);
        }
    }

    /**
     * What is to be remembered of this and what is said now, of the same member: the later. Of two
     * lives of which neither follows the other this one stays, so that the member hears of it.
     */
    public KnownLife or(KnownLife said) {
        boolean isLater =
                said.life == life ? said.generation > generation : said.begunAt >= generation;
        return isLater ? said : this;
    }
}
