import BelfryModel
import BelfryRules
import Foundation
import Testing

struct MessageStateMergeTests {
    private let pending = PendingMessageState(id: "a", state: .read, owner: 0)

    @Test("MC-14: the person sees the merged state of device and server")
    func shown() {
        for server in MessageState.allCases {
            #expect(MessageStateMerge.shown(server: server, pending: nil) == server)
            for own in MessageState.allCases {
                #expect(MessageStateMerge.shown(server: server, pending: own) == max(server, own))
            }
        }
    }

    @Test("MC-14: a state is sent until the server has it or refuses it for good")
    func outcomes() throws {
        var merge = MessageStateMerge()
        var time: TimeInterval = 0
        #expect(merge.decide(nil, now: deviceEpoch) == .notNeeded)
        let cases: [(Int, String?, MessageStateResult)] = [
            (503, nil, .kept), (401, "contactTokenExpired", .kept), (404, nil, .kept), (204, nil, .stored),
            (404, "unknownMessage", .dropped), (400, "invalidBody", .dropped),
        ]
        for (status, code, expected) in cases {
            merge = try restarted(merge)
            let now = deviceEpoch + time
            #expect(merge.decide(pending, now: now) == .send)
            let outcome = CallOutcome.response(status: status, code: code, at: now)
            let said = merge.answered(outcome, now: now, random: 0, policy: .call)
            #expect(said == expected, "\(status)")
            if case .wait(let until, .backingOff) = merge.decide(pending, now: now) {
                time = until.timeIntervalSince(deviceEpoch)
            }
        }
        #expect(time == 6)
    }
}
