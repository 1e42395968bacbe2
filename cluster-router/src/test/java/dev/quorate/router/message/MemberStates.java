package dev.quorate.router.message;

import dev.quorate.router.message.MemberState.Condition;
import java.util.List;

/** States of members that say nothing of how they see the others. */
public final class MemberStates {

    private MemberStates() {}

    /** A state without known lives. */
    public static MemberState of(
            long life,
            Condition condition,
            long bytes,
            long wallMillis,
            long completeMillis,
            long gcWatermarkMillis) {
        return of(
                life,
                condition,
                bytes,
                wallMillis,
                completeMillis,
                gcWatermarkMillis,
                0,
                0,
                List.of());
    }

    public static MemberState of(
            long life,
            Condition condition,
            long bytes,
            long wallMillis,
            long completeMillis,
            long gcWatermarkMillis,
            long begunAt,
            long generation,
            List<KnownLife> known) {
        return new MemberState(
                life,
                1,
                0,
                0,
                condition,
                bytes,
                bytes,
                0,
                0,
                wallMillis,
                completeMillis,
                gcWatermarkMillis,
                begunAt,
                generation,
                known,
                List.of(),
                MemberState.Load.NONE);
    }
}
