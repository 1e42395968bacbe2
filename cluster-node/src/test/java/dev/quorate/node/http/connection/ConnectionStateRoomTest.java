package dev.quorate.node.http.connection;

import static dev.quorate.node.http.connection.ConnectionScript.assertSteps;

import org.junit.jupiter.api.Test;

/** Reads as {@linkplain ConnectionScript scripts}: large bodies for which there is no room. */
class ConnectionStateRoomTest {

    @Test
    void aLargeBodyAsksForRoomWhenMoreOfItComesAndIsReadWhenThereIsSome() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body
                idle?
                    busy
                input of 8000 bytes
                    ask for room
                    pause input
                idle?
                    busy
                room granted
                    parse what waits
                all parsed
                    listen for input
                input of 8000 bytes
                    parse
                """);
    }

    @Test
    void whileABodyWaitsForRoomNothingIsRead() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body
                input of 8000 bytes
                    ask for room
                    pause input
                input of 8000 bytes
                    wait
                input of 8000 bytes
                    wait
                sweep at 5
                    compare the deadline of the wait for room
                """);
    }

    @Test
    void aClientThatWaitsFor100AsksAtOnce() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body, and the client waits for 100
                    ask for room
                    pause input
                room granted
                    parse what waits
                all parsed, 25 unsent
                    listen for input
                """);
    }

    @Test
    void whoseTimeIsUpIsRefusedAndRoomThatComesLaterIsReleased() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body
                input of 8000 bytes
                    ask for room
                    pause input
                late
                    refuse
                    end the output
                    listen for input
                room granted
                    release it
                input of 8000 bytes
                    discard
                """);
    }

    @Test
    void whoseBodyNeverBeginsIsJudgedAsAnUnfinishedRequest() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body
                sweep at 5
                    compare deadlines of the request
                late
                    refuse
                    end the output
                """);
    }

    @Test
    void whoLeavesWhileWaitingIsClosed() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                large body
                input of 8000 bytes
                    ask for room
                    pause input
                hang-up
                    close
                room granted
                    release it
                """);
    }

    @Test
    void aConnectionThatIsClosedWhileItsHeadIsParsedAsksForNothing() {
        assertSteps(
                """
                connection
                input of 200 bytes
                    parse
                closed
                    closed
                large body
                room granted
                    release it
                """);
    }
}
