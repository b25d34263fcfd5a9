import BelfryModel
import BelfryRules
import Foundation
import Testing

struct SyncStateTests {
    @Test("EVT-9, WIRE-20: the clock and the state of a response count if it comes from a Belfry server")
    func answers() {
        var state = SyncState()
        let ahead = deviceEpoch.addingTimeInterval(3_600)
        for otherState in [nil, ""] {
            state.answered(clientState: otherState, serverTime: ahead, sentAt: deviceEpoch, now: deviceEpoch)
        }
        #expect(state.serverClockOffset == nil)
        #expect(state.clientState == nil)
        state.answered(clientState: "one", serverTime: ahead, sentAt: deviceEpoch, now: deviceEpoch)
        #expect(state.serverClockOffset == 3_600)
        state.answered(clientState: "two", serverTime: nil, sentAt: deviceEpoch, now: deviceEpoch)
        #expect(state.serverClockOffset == 3_600)
        #expect(state.clientState == "two")
    }

    @Test(
        "EVT-9, MC-17: a response that the device slept over moves the server's clock no further than it must have gone",
        arguments: [
            // Offset before, sent, arrived and the server's clock in seconds, offset afterwards.
            (nil, 0.0, 0.0, 3_600.0, 3_600.0), (nil, 0, 86_400, 0, 0), (0, 0, 86_400, 3, 0), (7, 0, 86_400, 7, 7),
            (3_600, 0, 0.2, 3_600, 3_600), (3_600, 0, 86_400, 0, 0), (-90, 0, 30, 0, -30), (0, 86_400, 0, 0, 0),
        ] as [(TimeInterval?, TimeInterval, TimeInterval, TimeInterval, TimeInterval)]
    )
    func lateResponse(
        former: TimeInterval?, sent: TimeInterval, arrived: TimeInterval, server: TimeInterval, expected: TimeInterval
    ) {
        var state = SyncState()
        let at = { deviceEpoch.addingTimeInterval($0) }
        if let former {
            state.answered(clientState: "one", serverTime: at(former), sentAt: at(0), now: at(0))
        }
        state.answered(clientState: "two", serverTime: at(server), sentAt: at(sent), now: at(arrived))
        #expect(state.serverClockOffset == expected)
    }

    @Test("REG-36: a suspended client sends nothing, whatever waits")
    func resting() {
        var state = SyncState()
        state.launched()
        _ = state.link.identify(key: "anna", field: nil, now: deviceEpoch)
        var situation = SyncSituation(
            record: ContactRecord(), recordDigest: StableDigest(record: ContactRecord()),
            queue: QueueStatus(count: 9, bytes: 900),
            appState: .foreground, isOnline: true, isHurried: true
        )
        let step = SyncPlan.next(for: state, in: situation, now: deviceEpoch, policy: SyncPolicy())
        #expect(step == .sendProperties)
        situation.isResting = true
        let next = SyncPlan.next(for: state, in: situation, now: deviceEpoch, policy: SyncPolicy())
        #expect(next == .idle(.resting))
    }
}
