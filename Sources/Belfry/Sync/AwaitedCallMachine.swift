import BelfryModel
import BelfryRules
import Foundation

/// Whoever waits for a call does not wait for a network, a back-off or a person: they hear at once why it cannot be now.
enum AwaitedCallMachine {
    static func endHopeless(in step: inout DeviceStep) {
        for call in step.process.awaited.waiting {
            if let error = obstacle(to: call, step.state.sync, now: step.now) {
                step.answer(call.number, .failure(error))
            }
        }
    }

    /// What was asked for a person who has left is not asked for the next one (MC-12). As long as the server asks for
    /// patience it is not asked again, whoever waits: they hear what it said.
    private static func obstacle(to call: AwaitedCall, _ sync: SyncState, now: Date) -> MessageCenterError? {
        let gate: CallGate
        switch call.kind {
        case .richContent:
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

    /// The plan says what is done next; when that is to wait, nobody waits with it.
    static func endAwaited(when next: SyncStep, in step: inout DeviceStep) {
        switch next {
        case .idle(.offline): step.answerAll(.offline)
        case .idle(.waitingForContact), .idle(.waitingForContactKey): step.answerAll(.notLinked)
        case .wait, .idle: step.answerAll(step.state.sync.contactFailure.map { MessageCenterError($0) } ?? .notLinked)
        default: break
        }
    }

    /// The call for which somebody has waited longest.
    ///
    /// - Returns: nil when what is wanted is here by now.
    static func call(_ requests: DeviceRequests, in step: inout DeviceStep) throws(BelfryError) -> DeviceCall? {
        guard let call = step.process.awaited.first else { return nil }
        switch call.kind {
        case .richContent(let id):
            return try MessageCenterMachine.richContentCall(id, for: call, requests, in: &step)
        case .setBadge(let count):
            // After a set without an answer the server is asked first: this one may look like its repetition (BADGE-5).
            let kind: BadgeCall.Kind = step.state.sync.badge.isUncertain ? .fetch : .set
            return try BadgeMachine.call(kind, count: count, awaited: call.number, requests, in: &step)
        case .fetchCenters: return MessageCenterMachine.fetchCall(requests, in: &step)
        case .fetchInApp: return try InAppSyncMachine.fetchCall(requests, in: &step)
        }
    }
}
