package dev.quorate.testkit.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CommandWordsTest {

    private static List<String> of(String page) {
        return CommandWords.of(Page.parse(page)).stream()
                .map(each -> (each.isCertain() ? "" : "? ") + String.join(" ", each.words()))
                .toList();
    }

    @Test
    void commandsOfABlock() {
        String block =
                """
                ```bash
                ./quorate up --detach   # starts
                ./quorate put KEY [VALUE] | get KEY | scan [--start KEY]
                ./quorate why a | grep 'read at'; ./quorate get 'a b' >file
                ./quorate export --file f &&
                  ./quorate import --file f && echo complete
                tar -C /opt/quorate --no-same-owner -xf quorate.tar
                setpriv --clear-groups /opt/quorate/quorate node --config FILE
                ```
                """;
        assertThat(of(block))
                .containsExactly(
                        "up --detach",
                        "put KEY VALUE",
                        "? get KEY",
                        "? scan --start KEY",
                        "why a",
                        "? grep quoted",
                        "get quoted",
                        "export --file f",
                        "import --file f",
                        "node --config FILE");
    }

    @Test
    void commandsOfASentence() {
        assertThat(of("Run `./quorate repair [URL…]`, or `scan --reverse`, not `scan`."))
                .containsExactly("repair URL", "? scan --reverse");
        assertThat(of("Run ./quorate repair.")).isEmpty();
    }
}
