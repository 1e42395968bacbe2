package dev.quorate.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quorate.storage.format.FileNames.Kind;
import dev.quorate.storage.format.FileNames.Name;
import org.junit.jupiter.api.Test;

/** A name determines a file's kind and number; any other name is foreign. */
class FileNamesTest {

    @Test
    void namesHaveAKindAndANumber() {
        assertThat(FileNames.log(0x2A)).isEqualTo("000000000000002a.log");
        assertThat(FileNames.parse(FileNames.log(42))).isEqualTo(new Name(Kind.LOG, 42));
        assertThat(FileNames.parse(FileNames.table(43))).isEqualTo(new Name(Kind.TABLE, 43));
        assertThat(FileNames.parse(FileNames.manifest(Long.MAX_VALUE)))
                .isEqualTo(new Name(Kind.MANIFEST, Long.MAX_VALUE));
        assertThat(FileNames.parse("LOCK").kind()).isEqualTo(Kind.LOCK);
        assertThat(FileNames.parse("CURRENT").kind()).isEqualTo(Kind.CURRENT);
        assertThat(FileNames.parse("CURRENT.next").kind()).isEqualTo(Kind.CURRENT_NEXT);
    }

    @Test
    void allOtherNamesAreForeign() {
        String[] names = {
            "",
            "lost+found",
            "000000000000002A.log",
            "00000000000002a.log",
            "0000000000000002a.log",
            "000000000000002a.log~",
            "000000000000002a",
            "-00000000000002a.log",
            "ffffffffffffffff.log",
            "current",
        };
        for (String name : names) {
            assertThat(FileNames.parse(name).kind()).as(name).isEqualTo(Kind.FOREIGN);
        }
    }
}
