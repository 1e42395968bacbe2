package dev.quorate.router.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class FollowedTest {

    /** A file that a test changes. */
    private static final class File implements Followed.Source<String> {

        private int changes;
        private int readings;
        private @Nullable String content = "first";

        void write(@Nullable String text) {
            changes++;
            content = text;
        }

        @Override
        public Object stamp() throws IOException {
            if (content == null) {
                throw new IOException("missing");
            }
            return changes;
        }

        @Override
        public String read() throws IOException {
            readings++;
            if (content == null || content.startsWith("bad")) {
                throw new IOException("invalid");
            }
            return content;
        }
    }

    private final File file = new File();

    @Test
    void aChangedFileIsReadAgainAndAnUnchangedOneIsNot() throws IOException {
        Followed<String> followed = Followed.first("file", file);
        followed.check();
        assertThat(file.readings).isEqualTo(1);
        file.write("second");
        followed.check();
        followed.check();
        assertThat(followed.get()).isEqualTo("second");
        assertThat(file.readings).isEqualTo(2);
    }

    @Test
    void aFileThatCannotBeUsedLeavesTheLastOneInUse() throws IOException {
        Followed<String> followed = Followed.first("file", file);
        for (String bad : new String[] {null, "bad", null, "bad again"}) {
            file.write(bad);
            followed.check();
            followed.check();
            assertThat(followed.get()).isEqualTo("first");
        }
        file.write("second");
        followed.check();
        assertThat(followed.get()).isEqualTo("second");
    }

    /** A file that was replaced while it was read may have the stamp of the failed reading. */
    @Test
    void aFailedReadingIsRepeatedWithoutAChange() throws IOException {
        Followed<String> followed = Followed.first("file", file);
        file.write("bad");
        followed.check();
        file.content = "second";
        followed.check();
        assertThat(followed.get()).isEqualTo("second");
    }

    @Test
    void theFirstReadingMustSucceed() {
        file.write("bad");
        assertThatThrownBy(() -> Followed.first("file", file)).hasMessage("invalid");
    }

    @Test
    void eachReasonIsLoggedOnce() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(Followed.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Followed<String> followed = Followed.first("file", file);
            file.write("bad");
            followed.check();
            followed.check();
            file.write(null);
            followed.check();
            followed.check();
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "Cannot reload file; keeping the previous contents: invalid",
                        "Cannot reload file; keeping the previous contents: missing");
    }
}
