import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Push tokens, what the person allows, and pushes that arrive.
struct PushController: Sendable {
    let engine: DeviceEngine

    func setToken(
        _ token: String,
        provider: PushProvider?,
        environment: PushEnvironment
    ) async throws(BelfryError) -> EditResult {
        try await edit { state throws(Refusal) in
            let provider = provider ?? PushProvider.standard(forPlatform: state.record.system.platform)
            state.record.pushToken = try PushToken(token, provider: provider, environment: environment)
            state.sync.pushToken.set()
        }
    }

    func removeToken() async throws(BelfryError) -> EditResult {
        try await edit { state in
            state.record.pushToken = nil
            state.sync.pushToken.removed()
        }
    }

    /// What the system answered when it was asked for pushes; a token is asked for only after a yes (REG-30).
    func setPermission(_ isGranted: Bool) async throws(BelfryError) -> EditResult {
        let result = try await edit { $0.record.take(isGranted ? .granted : .denied) }
        if result == .accepted, isGranted { await engine.context.platform.pushTokens?.requestPushToken() }
        return result
    }

    private func edit(
        _ change: @Sendable (inout DeviceState) throws(Refusal) -> Void
    ) async throws(BelfryError) -> EditResult {
        try await engine.step { step throws(BelfryError) -> EditResult in
            if let rest = step.state.privacy.rest { return .refused(rest.refusal) }
            do throws(Refusal) {
                try change(&step.state)
            } catch {
                return .refused(error)
            }
            step.noticeRecord()
            step.then(.wake)
            return .accepted
        }
    }

    /// Why a push of ours is not to be shown; nil when it is.
    func dropReason(of push: ReceivedPush) async throws(BelfryError) -> PushDropReason? {
        try await engine.state().pushFilter.dropReason(of: push)
    }

    /// Whether a push is shown and recorded; one that is not is reported.
    func takes(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        guard let reason = try await dropReason(of: push) else { return true }
        engine.reporter.report(.pushDropped(reason))
        return false
    }

    /// A push of ours came. When it is meant for this person it may tell of new messages, once, and of the badge, each
    /// time (MC-4, IAM-3, BADGE-5). For whom it is, is asked in the same step: somebody may have left a moment before
    /// (ID-4).
    ///
    /// - Returns: whether it is taken; one that is not is reported.
    @discardableResult
    func noticed(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        let (isTaken, changesBadge) = try await engine.step { step throws(BelfryError) -> (Bool, Bool) in
            if let reason = step.state.pushFilter.dropReason(of: push) {
                step.then(.report(.pushDropped(reason)))
                return (false, false)
            }
            let former = step.state.sync
            if try step.recorder.isNew(.pushReceived, of: push) {
                let words = push.payload.sync ?? []
                if words.contains(PushPayload.messageCenterSync) { step.state.sync.centers.mark() }
                if words.contains(PushPayload.inAppSync) { step.state.sync.inApp.mark() }
            }
            if let badge = push.payload.badge, step.configuration.badgesEnabled {
                step.state.sync.badge.told(badge, by: push.payload.sid)
            }
            if step.state.sync != former { step.then(.wake) }
            return (true, step.state.sync.badge.badge != former.badge.badge)
        }
        if changesBadge { await engine.badge.show() }
        return isTaken
    }
}

/// Handing the token over, and taking it back (ID-5).
enum PushTokenMachine {
    static func call(
        _ token: PushToken?,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall {
        step.state.sync.pushToken.attempted()
        guard let token else {
            return DeviceCall(purpose: .pushToken(.removedPushToken), request: requests.deletePushToken())
        }
        let request = try requests.putPushToken(token)
        return DeviceCall(purpose: .pushToken(StableDigest(pushToken: token)), request: request)
    }

    static func answered(_ digest: StableDigest, _ answer: DeviceAnswer, in step: inout DeviceStep) {
        step.noticeToken(answer.outcome)
        step.state.sync.pushToken.answered(
            answer.outcome, for: digest, now: step.now, random: step.jitter(), policy: step.policy.calls
        )
        if case .refused(let failure) = answer.outcome { step.then(.report(.pushTokenRefused(failure))) }
    }
}
