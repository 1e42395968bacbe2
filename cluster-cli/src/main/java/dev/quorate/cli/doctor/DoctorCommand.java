package dev.quorate.cli.doctor;

import dev.quorate.cli.client.ClientCommands;
import dev.quorate.cli.client.CommandFailure;
import dev.quorate.cli.client.ExitCode;
import dev.quorate.cli.client.Invocation;
import dev.quorate.cli.doctor.Finding.Severity;
import dev.quorate.cli.local.Commands;
import dev.quorate.cli.local.PrintableWriter;
import dev.quorate.node.json.JsonWriter;
import dev.quorate.router.runtime.Ticker;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;

/**
 * The command {@code doctor}.
 *
 * @param pause waits before the nodes are asked for the second time
 */
public record DoctorCommand(Ticker ticker, BooleanSupplier pause) {

    private static final String EXITS =
            "Exit codes: 0 no problem except for notes; 1 a problem; 2 invalid arguments; 3 no node"
                    + " answers.";

    public void addTo(CommandLine commandLine, ClientCommands commands) {
        Commands.add(
                commandLine,
                commands.command(
                        "doctor",
                        "Asks all members twice and prints the problems of the cluster, the worst"
                                + " first, each with the section of docs/runbook.md that helps. With"
                                + " tokens, it needs an admin token.",
                        EXITS,
                        this::run));
    }

    private ExitCode run(Invocation run) throws IOException, CommandFailure {
        int timeoutMillis = run.timeoutMillis();
        List<NodeInterview> interviews =
                run.members().stream().map(node -> new NodeInterview(node, timeoutMillis)).toList();
        interviews.forEach(each -> each.begin(ticker.nanos()));
        var _ = pause.getAsBoolean();
        List<NodeInterview.NodeReport> reports =
                interviews.stream().map(each -> each.end(ticker.nanos())).toList();
        List<Finding> findings = Diagnosis.of(reports, ticker.wallMillis());
        for (Finding finding : findings) {
            run.out().println(run.json() ? json(finding) : text(finding));
        }
        long answering = reports.stream().filter(each -> each.name() != null).count();
        long wrong = findings.stream().filter(each -> each.severity() != Severity.NOTE).count();
        if (!run.json()) {
            run.out()
                    .printf(
                            "%d of %d nodes answered; %s.%n",
                            answering, reports.size(), summary(wrong));
        }
        if (answering == 0) {
            return ExitCode.UNAVAILABLE;
        }
        return wrong == 0 ? ExitCode.DONE : ExitCode.NOT_THERE;
    }

    private static String summary(long wrong) {
        return wrong == 0
                ? "nothing is wrong"
                : wrong == 1 ? "one thing is wrong" : wrong + " things are wrong";
    }

    private static String text(Finding finding) {
        String line =
                "%s  %s  %s"
                        .formatted(finding.severity().label(), finding.node(), finding.sentences());
        return "%s%n          %s"
                .formatted(PrintableWriter.printable(line), finding.section().link());
    }

    private static String json(Finding finding) {
        return new JsonWriter(256)
                .beginObject()
                .field("severity", finding.severity().label())
                .field("node", finding.node())
                .field("finding", finding.sentences())
                .field("see", finding.section().link())
                .endObject()
                .toString();
    }
}
