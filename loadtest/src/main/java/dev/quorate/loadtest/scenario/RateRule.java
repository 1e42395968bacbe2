package dev.quorate.loadtest.scenario;

/** At which rate a scenario runs. */
public sealed interface RateRule {

    /** At a share of its breaking point. */
    record Share() implements RateRule {}

    /** At this many requests a second. */
    record Fixed(int perSecond) implements RateRule {}

    /** As fast as the answers come. */
    record AsAnswered() implements RateRule {}

    static RateRule share() {
        return new Share();
    }

    static RateRule fixed(int perSecond) {
        return new Fixed(perSecond);
    }

    static RateRule asAnswered() {
        return new AsAnswered();
    }
}
