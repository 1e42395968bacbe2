package dev.quorate.cli.doctor;

/**
 * Something that is wrong, or may be.
 *
 * @param node the name or the URL of a node
 * @param sentences what is wrong, and what follows from it
 * @param section what helps
 */
record Finding(Severity severity, String node, String sentences, Section section) {

    enum Severity {
        /** Clients are refused, or data is at risk. */
        CRITICAL("critical"),
        /** It will get worse. */
        WARNING("warning"),
        /** Not wrong by itself. */
        NOTE("note");

        private final String label;

        Severity(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }
}
