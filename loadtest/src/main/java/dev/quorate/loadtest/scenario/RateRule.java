package dev.quorate.loadtest.scenario;

/** At which rate a scenario runs. */
public sealed interface RateRule {

    /** At a share of its breaking point. */
    record Share() implements RateRule {}

    /** At this many requests a second. */
    record Fixed(int perSecond) implements RateRule {}

    /** As fast as the answers come. */
    record AsAnswered() implements RateRule {}

    /**
     * As fast as the answers come, once, on a cluster of its own from the moment it is ready. What
     * it refuses or does not confirm in time is counted, and is no error.
     */
    record FromStart() implements RateRule {}
}
