package dev.quorate.node.http.connection;

import static dev.quorate.node.http.connection.ConnectionScript.assertSteps;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** Reads as {@linkplain ConnectionScript scripts}: requests, their answers, and streams. */
class ConnectionStateTest {

    // ---- Requests.

    @Test
    void aRequestIsHandledAndItsAnswerSentWhenTheInputIsUsedUp() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                answer, 100 unsent
                handled
                    parse on
                all parsed, 0 unsent
                input of 20 bytes
                    parse
                """);
    }

    @Test
    void aRequestInPartsIsReadToItsEnd() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                all parsed
                idle?
                    idle
                input of 20 bytes
                    parse
                idle?
                    busy
                request
                    handle
                idle?
                    busy
                """);
    }

    @Test
    void whileARequestIsInFlightNothingIsRead() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                idle?
                    busy
                input of 20 bytes
                    wait
                    pause input
                answer
                    listen for input
                input of 20 bytes
                    parse
                """);
    }

    @Test
    void inputOfNoBytesIsNone() {
        assertSteps(
                """
                connection
                input of 0 bytes
                input of 20 bytes
                    parse
                """);
    }

    @Test
    void aDriverIsNotDisturbedByInput() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                input of 20 bytes
                    wait
                    pause input
                request
                    handle
                input of 20 bytes
                    wait
                answer
                handled
                    parse on
                all parsed
                    listen for input
                """);
    }

    // ---- Pipelining.

    @Test
    void pipelinedRequestsWaitForTheAnswerAndAreParsedByTheAnsweringThread() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                handled with more
                    leave the rest for later
                input of 20 bytes
                    wait
                    pause input
                answer
                    parse what waits
                request
                    handle
                answer
                handled
                    parse on
                all parsed
                    listen for input
                """);
    }

    @Test
    void answersThatAreNotTakenHoldTheRequestsBehindBack() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                answer, 262144 unsent
                handled with more
                    parse on
                request
                    handle
                answer, 262145 unsent
                handled with more
                    leave the rest for later
                idle?
                    busy
                input of 20 bytes
                    wait
                    pause input
                sent, 262145 unsent
                sent, 262144 unsent
                    parse what waits
                all parsed, 0 unsent
                    listen for input
                """);
    }

    @Test
    void unreadAnswersStopTheReadingOfRequests() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                answer, 262145 unsent
                handled
                    stop
                input of 20 bytes
                    wait
                    pause input
                sent, 262144 unsent
                    listen for input
                input of 20 bytes
                    parse
                """);
    }

    @Test
    void whereThereIsNoRoomForTheRestTheAnswerInFlightIsTheLast() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                handled with more than there is room for
                    drop the rest
                input of 20 bytes
                    wait
                    pause input
                answer
                    end the output
                    listen for input
                """);
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                answer, 300000 unsent
                handled with more than there is room for
                    drop the rest
                sent, 0 unsent
                    end the output
                """);
    }

    @Test
    void nothingIsParsedBehindTheLastAnswer() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                last answer, 100 unsent
                handled with more
                    stop
                input of 20 bytes
                    wait
                    pause input
                sent, 0 unsent
                    end the output
                    listen for input
                """);
    }

    @Test
    void outputThatIsSentMeanwhileDoesNotEndTheConnectionUnderItsDriver() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                last answer
                sent, 0 unsent
                handled
                    stop
                    end the output
                """);
    }

    // ---- Streams.

    @Test
    void aStreamIsPulledEachTimeAllOfItIsSent() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                stream, 100 unsent
                sent, 0 unsent
                    pull
                delivered more, 5000 unsent
                sent, 1 unsent
                sent, 0 unsent
                    pull
                delivered more
                    pull
                delivered the end, 5 unsent
                idle?
                    busy
                sent, 0 unsent
                idle?
                    idle
                input of 20 bytes
                    parse
                """);
    }

    @Test
    void aStreamThatBeginsInTheHandlerIsPulledWhenThatHasReturned() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                stream, 100 unsent
                sent, 0 unsent
                handled with more
                    leave the rest for later
                    pull
                delivered the end
                    parse what waits
                """);
    }

    @Test
    void aStreamBehindWhichTheRestWasDroppedIsTheLast() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                stream
                handled with more than there is room for
                    drop the rest
                    pull
                delivered more
                    pull
                delivered the end
                    end the output
                """);
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                handled with more than there is room for
                    drop the rest
                stream
                    pull
                delivered the end
                    end the output
                """);
    }

    @Test
    void aStreamThatIsTheLastEndsTheConnection() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                stream
                handled
                    stop
                    pull
                delivered the last, 10 unsent
                sent, 0 unsent
                    end the output
                """);
    }

    @Test
    void aStreamWithoutFramingThatIsCutOffEndsWithAReset() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                stream
                handled
                    stop
                    pull
                cut off, 10 unsent
                input of 20 bytes
                    wait
                    pause input
                sent, 0 unsent
                    reset
                    close
                """);
    }

    @Test
    void deliveriesAfterTheConnectionFailedAreDropped() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                stream
                handled
                    stop
                    pull
                error
                    close
                delivered more
                    drop it
                """);
    }

    @Test
    void aSourceThatHasDeliveredAndThenFailsEndsTheAnswer() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                stream
                    pull
                delivered more, 100 unsent
                delivered the last
                sent, 0 unsent
                    end the output
                """);
    }

    // ---- Messages.

    @Test
    void afterAnUpgradeMessagesAreRequests() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                request
                    handle
                upgrade, 100 unsent
                handled with more
                    parse on
                request
                    handle
                handled
                    stop
                answer
                input of 20 bytes
                    parse
                malformed, 4 unsent
                    refuse with a close frame
                sent, 0 unsent
                    end the output
                """);
    }

    // ---- What cannot be.

    @Test
    void eventsThatCannotBeAreBugs() {
        ConnectionState idle = new ConnectionState(true, 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> idle.answered(false))
                .withMessage(
                        "an answer while the connection is OPEN, not driven, with NONE in flight");
        assertThatIllegalStateException().isThrownBy(idle::streaming);
        assertThatIllegalStateException().isThrownBy(idle::delivered);
        assertThatIllegalStateException().isThrownBy(idle::cutOff);
        assertThatIllegalStateException().isThrownBy(idle::stopped);
        assertThatIllegalStateException().isThrownBy(idle::beginHandling);
        assertThatIllegalStateException().isThrownBy(idle::asksForRoom);
        assertThat(idle.received(1)).isTrue();
        assertThatIllegalStateException().isThrownBy(idle::refused);
        assertThatIllegalStateException().isThrownBy(idle::restDropped);
        assertThatIllegalStateException().isThrownBy(() -> idle.received(1));
    }

    @Test
    void theLastAnswerIsKnownOnceItIsQueued() {
        ConnectionState state = new ConnectionState(true, 0);
        assertThat(state.received(1)).isTrue();
        assertThat(state.beginHandling()).isTrue();
        assertThat(state.isLast()).isFalse();
        state.answered(true);
        assertThat(state.isLast()).isTrue();
    }
}
