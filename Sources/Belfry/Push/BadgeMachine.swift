import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The badge, synchronized with the server (BADGE-1 to BADGE-5).
enum BadgeMachine {
    /// - Parameter number: the number of the waiting caller; nil for the engine's own call.
    static func call(
        _ kind: BadgeCall.Kind,
        count: Int = 0,
        awaited number: Int? = nil,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall {
        let badge = step.state.sync.badge
        let call = BadgeCall(
            kind: kind, generation: badge.generation, revision: badge.badge.revision,
            wasUncertain: badge.isUncertain, awaited: number
        )
        guard kind != .fetch else { return DeviceCall(purpose: .badge(call), request: requests.badge()) }
        step.state.sync.badge.attempted()
        let request = try requests.putBadge(count, revision: badge.badge.revision)
        return DeviceCall(purpose: .badge(call), request: request)
    }

    static func answered(_ call: BadgeCall, _ response: ServerResponse, in step: inout DeviceStep) {
        let (value, read) = response.reading(Badge.self, now: step.now)
        step.noticeToken(read.outcome)
        guard call.generation == step.state.sync.badge.generation else {
            // The response is about a person who has left. That the server must be asked again is still stored (ID-4).
            return step.finish(call.awaited, .failure(.anotherPerson))
        }
        guard let value else { return failed(read.outcome, call, in: &step) }
        // If a reset may have been taken for a repetition of an earlier one, it is sent once more.
        let isResetDone = call.kind == .set || (call.kind == .reset && (value.count == 0 || !call.wasUncertain))
        if isResetDone { step.state.sync.badge.resetSent(generation: call.generation) }
        step.state.sync.badge.answered(value, askedAt: call.revision)
        guard call.kind == .set else { return }
        step.state.sync.badge.toBeShown()
        step.finish(call.awaited, .success(.badge(step.state.sync.badge.badge)))
    }

    private static func failed(_ outcome: CallOutcome, _ call: BadgeCall, in step: inout DeviceStep) {
        step.state.sync.badge.failed(
            outcome,
            wasOwn: call.awaited == nil,
            now: step.now,
            random: step.jitter(),
            policy: step.policy.calls
        )
        // After a 401 the call is repeated with a renewed token.
        if case .unauthorized = outcome { return }
        guard let failure = outcome.failure else { return }
        step.finish(call.awaited, .failure(MessageCenterError(failure)))
    }
}
