package dev.quorate.node.admin;

import dev.quorate.node.antientropy.AcceptedLoss;
import dev.quorate.node.http.Percent;
import dev.quorate.storage.KeyRange;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What may be lost if a healing continues, for people and for {@code ./quorate repair
 * --accept-loss}. The first line is {@code loss}, its name and the number of key ranges; or {@code
 * no loss} and the number of damaged ranges.
 */
final class LossText {

    private LossText() {}

    /**
     * @param loss null if none waits for acceptance
     * @param damagedRanges of the store
     */
    static String of(@Nullable AcceptedLoss loss, long damagedRanges) {
        if (loss == null) {
            return "no loss " + damagedRanges + "\n";
        }
        StringBuilder text = new StringBuilder();
        text.append("loss ").append(loss.name()).append(' ').append(loss.ranges().size());
        text.append("\nThe table ").append(loss.file()).append(" is damaged");
        if (!loss.damagedAlike().isEmpty()) {
            String names = String.join(", ", loss.damagedAlike());
            text.append(", and so is, in some of the same keys: ").append(names);
        }
        text.append("; ").append(loss.why()).append(".\n");
        text.append(
                        "Of these keys entries may be lost that no other member has, acknowledged or not,")
                .append(" none newer than ")
                .append(loss.newest())
                .append(" (")
                .append(Instant.ofEpochMilli(loss.newest().wallMillis()))
                .append("). Where a deletion is lost, what was deleted may be seen again.\n");
        for (KeyRange range : loss.ranges()) {
            byte @Nullable [] end = range.end();
            text.append("  from ").append(Percent.encode(range.start()));
            text.append(end == null ? " on" : " to before " + Percent.encode(end)).append('\n');
        }
        return text.toString();
    }
}
