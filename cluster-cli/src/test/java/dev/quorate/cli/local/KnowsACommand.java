package dev.quorate.cli.local;

import dev.quorate.cli.Main;

/** Breaks a rule, so that a test can see it fail. */
public final class KnowsACommand {

    private KnowsACommand() {}

    static Object command() {
        return Main.nodeCommand();
    }
}
