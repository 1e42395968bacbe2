package dev.quorate.router.message;

import static dev.quorate.router.message.Frames.ASK;
import static dev.quorate.router.message.Frames.REQUESTS;
import static dev.quorate.router.message.Frames.SEAL;
import static dev.quorate.router.message.Frames.assertSameRequests;
import static dev.quorate.router.message.Frames.bytes;
import static dev.quorate.router.message.Frames.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quorate.router.message.ReplicaRequest.Traced;
import dev.quorate.storage.Entry;
import dev.quorate.storage.KeyOrder;
import dev.quorate.storage.Timestamp;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests with a trace. */
final class TracedRequestsTest {

    private static final TraceParent TRACE = new TraceParent(1, 2, 3, 255);

    private static List<ReplicaRequest> traced() {
        return REQUESTS.stream().<ReplicaRequest>map(each -> new Traced(TRACE, each)).toList();
    }

    private static List<ReplicaRequest> plain(List<ReplicaRequest> requests) {
        return requests.stream().map(ReplicaRequest::plain).toList();
    }

    @Test
    void theTraceArrivesWithItsRequest() throws Exception {
        byte[] frame = PeerCodec.encodeRequests(ASK, traced(), SEAL);
        assertThat(PeerCodec.openRequests(frame, SEAL).header()).isEqualTo(ASK);
        List<ReplicaRequest> decoded = PeerCodec.decodeRequests(frame);
        assertThat(decoded).allMatch(each -> ((Traced) each).trace().equals(TRACE));
        assertSameRequests(plain(decoded), REQUESTS);
    }

    @Test
    void aRequestIsAsInTheSeventhLayout() throws Exception {
        byte[] frame = PeerCodec.encodeRequests(ASK, traced().subList(0, 1), SEAL);
        byte[] golden =
                TracedRequestsTest.class.getResourceAsStream("traced-7.golden").readAllBytes();
        assertThat(hex(frame)).isEqualTo(hex(golden));
    }

    @Test
    void aDescendingPageHasATypeOfItsOwn() throws Exception {
        List<ReplicaRequest> requests =
                List.of(
                        new ReplicaRequest.ScanPage(bytes(""), null, 1, KeyOrder.DESCENDING, false),
                        new ReplicaRequest.ScanPage(
                                bytes("a"), bytes("b"), 262144, KeyOrder.DESCENDING, false));
        byte[] golden =
                TracedRequestsTest.class.getResourceAsStream("descending-7.golden").readAllBytes();
        assertThat(hex(PeerCodec.encodeRequests(ASK, requests, SEAL))).isEqualTo(hex(golden));
        assertSameRequests(PeerCodec.decodeRequests(golden), requests);
    }

    @Test
    void whatIsNoTraceIsRefused() {
        byte[] frame = PeerCodec.encodeRequests(ASK, traced().subList(0, 1), SEAL);
        int at = FrameHeader.BYTES + 2 * Integer.BYTES + Byte.BYTES;
        for (int i = 0; i < 2 * Long.BYTES; i++) {
            frame[at + i] = 0;
        }
        assertThatThrownBy(() -> PeerCodec.decodeRequests(frame))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("traceparent");
        assertThatThrownBy(() -> new Traced(TRACE, traced().getFirst()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLargeWriteInPartsIsTheSameFrame() {
        ReplicaRequest.Write write =
                new ReplicaRequest.Write(
                        Entry.value(bytes("k"), new Timestamp(1, 2), new byte[3_000], 3));
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        PeerCodec.encodeLargeWrite(ASK, write, TRACE, SEAL).forEach(parts::writeBytes);
        assertThat(hex(parts.toByteArray()))
                .isEqualTo(
                        hex(
                                PeerCodec.encodeRequests(
                                        ASK, List.of(new Traced(TRACE, write)), SEAL)));
    }
}
