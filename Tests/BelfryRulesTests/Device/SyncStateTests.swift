import BelfryModel
import BelfryRules
import Foundation
import Testing

struct SyncStateTests {
    @Test("EVT-9, WIRE-20: the clock and the state of a response count if it comes from a Belfry server")
    func answers() {
        var state = SyncState()
        let ahead = deviceEpoch.addingTimeInterval(3_600)
        for stranger in [nil, ""] {
            state.answered(clientState: stranger, serverTime: ahead, now: deviceEpoch)
        }
        #expect(state.serverClockOffset == nil)
        #expect(state.clientState == nil)
        state.answered(clientState: "one", serverTime: ahead, now: deviceEpoch)
        #expect(state.serverClockOffset == 3_600)
        state.answered(clientState: "two", serverTime: nil, now: deviceEpoch)
        #expect(state.serverClockOffset == 3_600)
        #expect(state.clientState == "two")
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
