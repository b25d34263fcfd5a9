import BelfryModel
import BelfryRules
import Foundation

/// Makes awaited calls. They do not wait for a network, a back-off or a contact: their callers learn immediately why
/// the call is not possible now.
enum AwaitedCallMachine {
    static func endHopeless(in step: inout DeviceStep) {
        for call in step.process.awaited.waiting {
            if let error = obstacle(to: call, step.state.sync, now: step.now) {
                step.finish(call.number, .failure(error))
            }
        }
    }

    /// Why the call cannot be made now. A call of a person who has left is not made for the next one (MC-12). While the
    /// server's `Retry-After` runs, the call is not repeated; its caller gets the server's last error.
    private static func obstacle(to call: AwaitedCall, _ sync: SyncState, now: Date) -> MessageCenterError? {
        let gate: RequestGate
        switch call.kind {
        case .richContent, .message:
            if call.generation == sync.centers.generation { return nil }
            return sync.centers.isEnabled ? .anotherPerson : .notEnabledYet
        case .fetchCenters:
            guard sync.centers.isEnabled else { return .notEnabledYet }
            gate = sync.centers.gate
        case .setBadge:
            guard call.generation == sync.badge.generation else { return .anotherPerson }
            gate = sync.badge.gate
        case .fetchInApp:
            guard call.generation == sync.inApp.generation else { return .anotherPerson }
            gate = sync.inApp.gate
        }
        return gate.patience(now: now).map { MessageCenterError($0) }
    }

    /// If the plan's next step is to wait, awaited calls fail.
    static func endAwaited(when next: SyncStep, in step: inout DeviceStep) {
        switch next {
        case .idle(.offline): step.finishAll(.offline)
        case .idle(.waitingForContact), .idle(.waitingForContactKey): step.finishAll(.notLinked)
        case .wait, .idle: step.finishAll(step.state.sync.contactFailure.map { MessageCenterError($0) } ?? .notLinked)
        default: break
        }
    }

    /// The call of the caller who has waited longest.
    ///
    /// - Returns: nil when its result has arrived meanwhile.
    static func call(_ requests: DeviceRequests, in step: inout DeviceStep) throws(BelfryError) -> DeviceCall? {
        guard let call = step.process.awaited.first else { return nil }
        switch call.kind {
        case .richContent(let id):
            return try MessageCenterMachine.richContentCall(id, for: call, requests, in: &step)
        case .message(let sid): return MessageCenterMachine.messageCall(ofPush: sid, for: call, requests)
        case .setBadge(let count):
            // After a set without a response the badge is fetched first: otherwise the server might treat this set as a
            // repetition of that one (BADGE-5).
            let kind: BadgeCall.Kind = step.state.sync.badge.isUncertain ? .fetch : .set
            return try BadgeMachine.call(kind, count: count, awaited: call.number, requests, in: &step)
        case .fetchCenters: return MessageCenterMachine.fetchCall(requests, in: &step)
        case .fetchInApp: return try InAppSyncMachine.fetchCall(requests, in: &step)
        }
    }
}
