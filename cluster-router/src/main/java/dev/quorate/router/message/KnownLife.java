package dev.quorate.router.message;

/**
 * The highest known generation of a member's life. Lives of one member are consecutive: each begins
 * at or after the generation that the previous life reached.
 *
 * @param member the member's number
 * @param life the life of the process that announced it; see {@link MemberState#life}
 * @param begunAt the generation that this life found on its disk
 * @param generation the generation that this life reached, durably
 */
public record KnownLife(int member, long life, long begunAt, long generation) {

    public KnownLife {
        if (begunAt < 0 || generation < begunAt) {
            throw new IllegalArgumentException("from " + begunAt + " to " + generation);
        }
    }

    /**
     * Merges this with another announcement of the same member: the later one wins. If neither life
     * follows the other, this one wins, so that the member learns of it.
     */
    public KnownLife or(KnownLife said) {
        boolean isLater =
                said.life == life ? said.generation > generation : said.begunAt >= generation;
        return isLater ? said : this;
    }
}
