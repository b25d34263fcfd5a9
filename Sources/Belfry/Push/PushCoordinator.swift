import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// Push tokens, the permission for pushes, and pushes that arrive.
struct PushCoordinator: Sendable {
    let engine: DeviceEngine

    func setToken(
        _ token: String,
        provider: PushProvider?,
        environment: PushEnvironment
    ) async throws(BelfryError) -> EditResult {
        try await edit { state throws(ValueError) in
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

    /// The system's permission for pushes; a token is requested only if it was granted (REG-30).
    func setPermission(_ isGranted: Bool) async throws(BelfryError) -> EditResult {
        let result = try await edit { $0.record.take(isGranted ? .granted : .denied) }
        if result == .accepted, isGranted { await engine.context.platform.pushTokens?.requestPushToken() }
        return result
    }

    private func edit(
        _ change: @Sendable (inout DeviceState) throws(ValueError) -> Void
    ) async throws(BelfryError) -> EditResult {
        try await engine.step { step throws(BelfryError) -> EditResult in
            if let rest = step.state.privacy.rest { return .refused(rest.error) }
            do throws(ValueError) {
                try change(&step.state)
            } catch {
                return .refused(error)
            }
            step.noticeRecord()
            step.then(.wake)
            return .accepted
        }
    }

    /// Why a push of Belfry's is not to be shown; nil when it is.
    func dropReason(of push: ReceivedPush) async throws(BelfryError) -> PushDropReason? {
        try await engine.state().pushFilter.dropReason(of: push)
    }

    /// Whether a push is shown and recorded; a push that is not is reported.
    func takes(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        guard let reason = try await dropReason(of: push) else { return true }
        engine.reporter.report(.pushDropped(reason))
        return false
    }

    /// A push of Belfry's arrived. If it is for the present person, it may make fetches due, once, and change the
    /// badge, each time (MC-4, IAM-3, BADGE-5). The recipient is checked in the same step, because the person may have
    /// left a moment before (ID-4).
    ///
    /// - Returns: whether it is accepted; a push that is not is reported.
    @discardableResult
    func noticed(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        let (isTaken, changesBadge) = try await engine.step { step throws(BelfryError) -> (Bool, Bool) in
            if let reason = step.state.pushFilter.dropReason(of: push) {
                step.then(.report(.pushDropped(reason)))
                return (false, false)
            }
            let former = step.state.sync
            if try step.recorder.isNew(.pushReceived, of: push) {
                push.payload.requestFetches(in: &step.state.sync)
                if let nonce = push.payload.nonce, step.state.record.contactKey == nil {
                    _ = step.state.sync.link.receivedNonce(nonce, for: push.payload.to)
                }
            }
            if let badge = push.payload.badge, step.configuration.badgesEnabled {
                step.state.sync.badge.received(badge, by: push.payload.sid)
            }
            if step.state.sync != former { step.then(.wake) }
            return (true, step.state.sync.badge.badge != former.badge.badge)
        }
        if changesBadge { await engine.badge.show() }
        return isTaken
    }

    /// The app does not hear of a push that the system shows by itself. Once the app is shown, such pushes are found in
    /// the system's list, or an extension of the app has noted them: they make fetches due, each once, and change the
    /// badge, except those of a former person (MC-4, BADGE-6, ID-4).
    func takeShown() async throws(BelfryError) {
        // A system without such a list has no pushes in it.
        let list = engine.context.platform.deliveredPushes
        let noted = await list?.takeNoted() ?? []
        let listed = await list?.pushes() ?? []
        try await engine.step { step throws(BelfryError) in
            let former = step.state.sync
            let filter = step.state.pushFilter
            let known = Set(former.shownPushes ?? [])
            for push in noted + listed where filter.dropReason(of: push) == nil {
                guard !known.contains(push.payload.sid), try step.recorder.isNew(.pushReceived, of: push) else {
                    continue
                }
                push.payload.requestFetches(in: &step.state.sync)
            }
            step.state.sync.shownPushes = listed.isEmpty ? nil : listed.map(\.payload.sid).sorted()
            if step.configuration.badgesEnabled {
                Self.takeBadges(noted: noted, listed: listed, filter, in: &step)
            }
            if step.state.sync != former { step.then(.wake) }
        }
    }

    private static func takeBadges(
        noted: [ReceivedPush],
        listed: [ReceivedPush],
        _ filter: PushFilter,
        in step: inout DeviceStep
    ) {
        for push in noted where filter.dropReason(of: push) == nil {
            if let badge = push.payload.badge { step.state.sync.badge.received(badge, by: push.payload.sid) }
        }
        let meant = listed.filter { filter.dropReason(of: $0) == nil }.map(\.payload)
        // The icon may show the number of somebody who has left.
        if (noted + listed).contains(where: { $0.payload.badge != nil && filter.dropReason(of: $0) != nil }) {
            step.state.sync.badge.toBeShown()
        }
        let badges = meant.compactMap { push in push.badge.map { (push.sid, $0) } }
        step.state.sync.badge.received(listed: Dictionary(badges) { $0.revision < $1.revision ? $1 : $0 })
    }
}

extension PushPayload {
    /// What it says is new becomes due (MC-4, IAM-3).
    fileprivate func requestFetches(in sync: inout SyncState) {
        let words = self.sync ?? []
        if words.contains(Self.messageCenterSync) { sync.centers.requestFetch() }
        if words.contains(Self.inAppSync) { sync.inApp.requestFetch() }
    }
}

/// Registers the push token, and withdraws it (ID-5).
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

    static func answered(_ digest: StableDigest, _ response: ServerResponse, in step: inout DeviceStep) {
        step.noticeToken(response.outcome)
        step.state.sync.pushToken.answered(
            response.outcome, for: digest, now: step.now, random: step.jitter(), policy: step.policy.calls
        )
        if case .refused(let failure) = response.outcome { step.then(.report(.pushTokenRefused(failure))) }
    }
}
