package dev.quorate.loadtest.agreement;

import dev.quorate.loadtest.figures.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is printed of a comparison of load generators. */
public final class AgreementReport {

    private AgreementReport() {}

    /** A line for each figure: medians, and the least and the most of all runs. */
    public static String table(List<Agreement> agreements, String reference, String other) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(
                List.of(
                        "",
                        reference + " ms",
                        "its runs",
                        other + " ms",
                        "its runs",
                        "difference",
                        ""));
        for (Agreement each : agreements) {
            lines.add(
                    List.of(
                            each.name(),
                            text("%.2f", each.reference().middle()),
                            range(each.reference()),
                            text("%.2f", each.other().middle()),
                            range(each.other()),
                            text("%+.0f %%", 100 * each.difference()),
                            each.verdict().words()));
        }
        return TextTable.write(lines);
    }

    private static String range(GeneratorFigures figures) {
        return text("%.2f", figures.least()) + " - " + text("%.2f", figures.most());
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
