package dev.quorate.node.http.connection;

import static dev.quorate.node.http.connection.ConnectionScript.assertSteps;

import org.junit.jupiter.api.Test;

/**
 * Reads as {@linkplain ConnectionScript scripts}: the end of input, failures, deadlines, and what
 * follows the last answer.
 */
class ConnectionStateEndTest {

    // ---- The end of input.

    @Test
    void aClientThatLeavesBetweenRequestsIsClosed() {
        assertSteps(
                """
                connection
                end of input
                    close
                """);
    }

    @Test
    void aRequestThatEndsInTheMiddleIsRefused() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                all parsed
                end of input in a request, 100 unsent
                    refuse
                sent, 0 unsent
                    end the output
                end of input
                    close
                """);
    }

    @Test
    void aClientThatEndsItsInputGetsItsAnswers() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                end of input
                    wait
                    pause input
                answer, 100 unsent
                    listen for input
                end of input
                    pause input
                sent, 50 unsent
                sent, 0 unsent
                    end the output
                    listen for input
                end of input
                    close
                """);
    }

    @Test
    void aHangUpIsSeenInEveryPhase() {
        assertSteps(
                """
                connection
                hang-up
                    close
                """);
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                hang-up
                    close
                answer
                    drop it
                """);
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                malformed, 100 unsent
                    refuse
                hang-up
                    close
                """);
    }

    // ---- Failures while there is a driver.

    @Test
    void theDriverOfAConnectionThatIsClosedStopsBeforeTheNextRequest() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                error
                    close, but for the parser
                answer
                    drop it
                handled with more
                    stop
                """);
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                closed from outside
                    closed
                request
                    stop
                closed from outside
                    was closed
                """);
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                error, and a thread is at work
                request
                    stop
                    close
                """);
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                error
                    close, but for the parser
                malformed
                """);
    }

    @Test
    void aStreamInTheHandlerEndsWithTheConnection() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                stream
                error, and a thread is at work
                handled
                    stop
                    close
                delivered more
                    drop it
                """);
    }

    @Test
    void nobodyStreamsToAClientThatIsGone() {
        assertSteps(
                """
                connection
                input of 60 bytes
                    parse
                request
                    handle
                handled
                    stop
                closed from outside
                    closed
                stream
                    drop it
                """);
    }

    // ---- Lingering.

    @Test
    void aRefusalIsTheLastAnswerAndFurtherInputIsDiscarded() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                malformed, 100 unsent
                    refuse
                input of 20 bytes
                    wait
                    pause input
                sent, 0 unsent
                    end the output
                    listen for input
                idle?
                    idle
                input of 65536 bytes
                    discard
                input of 67043328 bytes
                    discard
                input of 1 bytes
                    discard
                    close
                """);
    }

    @Test
    void lingeringHasAnEnd() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                malformed
                    refuse
                    end the output
                sweep at 6
                sweep at 9, lingered long enough
                    close
                sweep at 10
                """);
    }

    // ---- Deadlines.

    @Test
    void deadlinesAreThoseOfAConnectionWithoutADriver() {
        assertSteps(
                """
                connection
                sweep at 6
                    compare deadlines of the request
                input of 20 bytes
                    parse
                sweep at 6
                request
                    handle
                sweep at 6
                handled
                    stop
                sweep at 6
                    compare deadlines of the answer
                """);
    }

    @Test
    void aRequestThatIsLateIsRefused() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                all parsed
                sweep at 6
                    compare deadlines of the request
                late request, 100 unsent
                    refuse
                sent, 0 unsent
                    end the output
                """);
    }

    @Test
    void aClientThatReadsNothingIsClosed() {
        assertSteps(
                """
                connection
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                answer, 5000 unsent
                sweep at 6
                    compare deadlines of the request
                stalls
                    close
                """);
    }

    @Test
    void onlyAStreamCanLoseItsPlace() {
        assertSteps(
                """
                connection
                place wanted
                    stay
                input of 20 bytes
                    parse
                request
                    handle
                handled
                    stop
                place wanted
                    stay
                stream, 100 unsent
                place wanted
                    give way
                    close
                place wanted
                    stay
                """);
    }

    // ---- Strangers.

    @Test
    void aClientMustAuthenticateInTime() {
        assertSteps(
                """
                stranger until 5
                sweep at 5
                    compare deadlines of the request
                input of 20 bytes
                    parse
                all parsed
                sweep at 6
                    reject
                    close
                sweep at 7
                """);
        assertSteps(
                """
                stranger until 5
                input of 20 bytes
                    parse
                proved
                request
                    handle
                handled
                    stop
                sweep at 6
                    compare deadlines of the answer
                """);
    }

    @Test
    void anUnauthenticatedClientIsRejectedInAnyState() {
        assertSteps(
                """
                stranger until 5
                input of 20 bytes
                    parse
                malformed
                    refuse
                    end the output
                sweep at 6
                    reject
                    close
                """);
        assertSteps(
                """
                stranger until 5
                input of 20 bytes
                    parse
                sweep at 6
                    reject
                    close, but for the parser
                all parsed
                """);
    }
}
