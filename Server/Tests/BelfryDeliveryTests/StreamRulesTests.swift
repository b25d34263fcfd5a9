import Testing

@testable import BelfryDelivery

@Suite struct StreamRulesTests {
    private func opened(ownLimit: Int = 1_000, peerLimit: UInt32 = 1_000, streams: Int = 0) -> StreamRules {
        var state = StreamRules(ownLimit: ownLimit)
        state.settingsReceived(maxConcurrentStreams: peerLimit)
        for place in 0..<streams { state.streamOpened(Int32(2 * place + 1)) }
        return state
    }

    @Test("PUSH-4: nothing is sent before the peer's SETTINGS")
    func nothingBeforeSettings() {
        var state = StreamRules(ownLimit: 10)
        #expect(state.room == 0)
        state.settingsReceived(maxConcurrentStreams: 3)
        #expect(state.room == 3)
    }

    @Test(
        "PUSH-4: streams are open up to the smaller of the peer's limit and Belfry's own",
        arguments: [(10, 3, 3), (10, 100, 10), (10, Int(UInt32.max), 10), (10, 0, 0)]
    )
    func limits(ownLimit: Int, peerLimit: Int, room: Int) {
        #expect(opened(ownLimit: ownLimit, peerLimit: UInt32(peerLimit)).room == room)
    }

    @Test("PUSH-4: open streams count against the limit, closed ones do not")
    func openStreamsCount() {
        var state = opened(peerLimit: 3, streams: 3)
        #expect(state.room == 0)
        #expect(state.streamClosed(1, errorCode: 0, status: 200) == .answered)
        #expect(state.room == 1)
    }

    @Test("PUSH-4: a peer may lower its limit below what is open, and raise it again")
    func limitChanges() {
        var state = opened(peerLimit: 10, streams: 5)
        state.settingsReceived(maxConcurrentStreams: 2)
        #expect(state.room == 0)
        #expect(state.phase == .open)
        state.settingsReceived(maxConcurrentStreams: 8)
        #expect(state.room == 3)
    }

    @Test("PUSH-4: a GOAWAY drains; streams above its last are not processed, those below continue")
    func goAway() {
        var state = opened(streams: 3)
        state.goAwayReceived(lastStream: 3, errorCode: 0)
        #expect(state.room == 0)
        #expect(state.phase == .draining)
        #expect(
            state.streamClosed(5, errorCode: StreamRules.refusedStream, status: 0)
                == .notProcessed(reason: Reason.aboveGoAway)
        )
        #expect(state.streamClosed(1, errorCode: 0, status: 200) == .answered)
        #expect(state.streamClosed(3, errorCode: 0, status: 410) == .answered)
        #expect(state.openStreams == 0)
    }

    @Test("PUSH-4: of two GOAWAYs the lower last stream counts")
    func gentleGoAway() {
        var state = opened(streams: 3)
        state.goAwayReceived(lastStream: .max, errorCode: 0)
        state.goAwayReceived(lastStream: 3, errorCode: 2)
        #expect(state.goAway == StreamRules.GoAway(lastStream: 3, errorCode: 2))
    }

    @Test("PUSH-4: SETTINGS that come after a GOAWAY do not open the connection again")
    func settingsAfterGoAway() {
        var state = StreamRules(ownLimit: 10)
        state.goAwayReceived(lastStream: 0, errorCode: 0)
        state.settingsReceived(maxConcurrentStreams: 10)
        #expect(state.room == 0)
    }

    @Test("PUSH-4: a refused stream is not processed, another reset leaves the result unknown")
    func resets() {
        var state = opened(streams: 2)
        #expect(
            state.streamClosed(1, errorCode: StreamRules.refusedStream, status: 0)
                == .notProcessed(reason: Reason.streamRefused)
        )
        let internalError: UInt32 = 2
        #expect(
            state.streamClosed(3, errorCode: internalError, status: 0) == .unanswered(reason: Reason.streamReset)
        )
    }

    @Test("PUSH-4: a 2xx counts even if the stream was reset after it, another status does not")
    func resetBehindStatus() {
        var state = opened(streams: 2)
        let cancel: UInt32 = 8
        #expect(state.streamClosed(1, errorCode: cancel, status: 200) == .answered)
        #expect(state.streamClosed(3, errorCode: cancel, status: 400) == .unanswered(reason: Reason.streamReset))
    }

    @Test("PUSH-4: after a lost connection it is unknown whether sent requests arrived, not for unsent ones")
    func lost() {
        let state = opened(streams: 2)
        let reason = TransportFailure.connectionLost.reason
        #expect(state.lost(isSent: true, failure: .connectionLost) == .unanswered(reason: reason))
        #expect(state.lost(isSent: false, failure: .connectionLost) == .notProcessed(reason: reason))
    }

    @Test("PUSH-4: a connection is replaced before its stream ids are used up")
    func streamIDs() {
        var state = opened()
        state.streamOpened(StreamRules.lastUsableStream - 2)
        #expect(state.phase == .open)
        state.streamOpened(StreamRules.lastUsableStream)
        #expect(state.phase == .draining)
        #expect(state.openStreams == 2)
    }

    @Test("PUSH-4: a connection with nothing but time-outs is replaced")
    func timeoutsInARow() {
        let count = StreamRules.maximumTimeoutsInARow
        var state = opened(streams: 2 * count)
        for _ in 1..<count { #expect(state.timedOut(isSent: true) == .unanswered(reason: Reason.timeout)) }
        #expect(state.streamClosed(1, errorCode: 0, status: 200) == .answered)
        #expect(state.timedOut(isSent: false) == .notProcessed(reason: Reason.timeout))
        #expect(state.phase == .open)
        for _ in 1..<count { _ = state.timedOut(isSent: true) }
        #expect(state.phase == .draining)
    }
}
