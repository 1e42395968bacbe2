package dev.quorate.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quorate.loadtest.load.Load.Api;
import dev.quorate.loadtest.load.Load.Clients;
import dev.quorate.loadtest.load.Load.Manner;
import dev.quorate.loadtest.load.Load.Operation;
import dev.quorate.loadtest.load.Load.Requests;
import org.junit.jupiter.api.Test;

class LoadTest {

    @Test
    void everyServerIsAskedAsItWants() {
        assertThat(Requests.of(Operation.GET, "2/3", 10, 100).query()).isEqualTo("replicas=2/3");
        assertThat(new Requests(Operation.GET, "2/3", Api.ACK_FROM, 10, 100, 0).query())
                .isEqualTo("ack=2&from=3");
    }

    @Test
    void aThreadWithoutAConnectionIsNone() {
        assertThat(Clients.of(64)).isEqualTo(new Clients(2, 64));
        assertThat(Clients.of(1)).isEqualTo(new Clients(1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Clients(3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Clients(0, 2));
    }

    @Test
    void keysComeInOrderWhereNoneMayComeTwiceOrBeLeftOut() {
        Requests get = Requests.of(Operation.GET, "2/3", 10, 100);
        Requests once = Requests.of(Operation.GET_ONCE, "2/3", 10, 100);
        Clients clients = Clients.of(2);
        assertThat(Load.unbounded("", get, clients, Manner.TIMED, 1).inOrder()).isFalse();
        assertThat(Load.unbounded("", get, clients, Manner.EVERY_KEY, 1).inOrder()).isTrue();
        assertThat(Load.unbounded("", once, clients, Manner.TIMED, 1).inOrder()).isTrue();
    }
}
