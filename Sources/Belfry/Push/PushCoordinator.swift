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
        let result = try await edit { state throws(ValueError) in
            let service: PushProvider
            if let provider {
                service = provider
            } else {
                service = try .standard(forPlatform: state.record.system.platform)
            }
            state.record.pushToken = try PushToken(token, provider: service, environment: environment)
            state.sync.pushToken.set()
        }
        await engine.update { process, _ in process.tokenRetry.ended(isSuccess: true) }
        return result
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

    /// The system gave no token. The app is told, and the system is asked again later, as long as the client runs and
    /// pushes are permitted (REG-30).
    func registrationFailed(_ failure: PushRegistrationFailure) async throws(BelfryError) {
        guard try await engine.state().privacy.rest == nil else { return }
        let now = engine.environment.now()
        let random = engine.environment.jitter()
        let due = await engine.update { process, _ in process.tokenRetry.failed(failure, now: now, random: random) }
        var reported = failure
        reported.retryAt = due
        engine.reporter.report(.pushRegistrationFailed(reported))
        guard let due else { return }
        let task = Task { [weak engine] in
            while let environment = engine?.environment, environment.now() < due, !Task.isCancelled {
                await environment.sleep(due)
            }
            guard !Task.isCancelled else { return }
            await engine?.push.askAgain()
        }
        await engine.update { process, _ in process.tokenRetry.task = task }
    }

    /// Requests the token again if the system failed to provide one; otherwise does nothing.
    func askAgain() async {
        let isOutstanding = await engine.update { process, _ in
            defer { process.tokenRetry.ended(isSuccess: false) }
            return process.isRunning && process.tokenRetry.isOutstanding
        }
        guard isOutstanding, (try? await engine.state().record.osPushEnabled) == true else { return }
        await engine.context.platform.pushTokens?.requestPushToken()
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

    /// The reason why a push from Belfry is not shown; nil when it is.
    func dropReason(of push: ReceivedPush) async throws(BelfryError) -> PushDropReason? {
        try await engine.state().pushFilter.dropReason(of: push)
    }

    /// Whether a push is shown and recorded; a push that is not is reported.
    func takes(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        guard let reason = try await dropReason(of: push) else { return true }
        engine.reporter.report(.pushDropped(reason))
        return false
    }

    /// A push from Belfry arrived. If it is for the present person, it may make fetches due, once, and change the
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
            let former = step.state.sync.badge.badge
            PushMachine.notice(push, isNew: try step.recorder.isNew(.pushReceived, of: push), in: &step)
            return (true, step.state.sync.badge.badge != former)
        }
        if changesBadge { await engine.badge.show() }
        return isTaken
    }

    /// Processes pushes that the system has shown by itself, without telling the app. Once the app is shown, they are
    /// found in the system's list: they make fetches due, each once, and change the badge, except those of a former
    /// person (MC-4, BADGE-5, ID-4).
    func takeShown() async throws(BelfryError) {
        // A system without such a list has no pushes in it.
        let listed = await engine.context.platform.deliveredPushes?.pushes() ?? []
        try await engine.step { step throws(BelfryError) in
            let former = step.state.sync
            let filter = step.state.pushFilter
            let known = Set(former.shownPushes ?? [])
            for push in listed where filter.dropReason(of: push) == nil {
                guard !known.contains(push.payload.sid), try step.recorder.isNew(.pushReceived, of: push) else {
                    continue
                }
                PushMachine.takeNews(of: push, in: &step)
            }
            step.state.sync.shownPushes = listed.isEmpty ? nil : listed.map(\.payload.sid).sorted()
            if step.configuration.badgesEnabled { Self.takeBadges(of: listed, filter, in: &step) }
            if step.state.sync != former { step.then(.wake) }
        }
    }

    private static func takeBadges(of listed: [ReceivedPush], _ filter: PushFilter, in step: inout DeviceStep) {
        let meant = listed.filter { filter.dropReason(of: $0) == nil }.map(\.payload)
        // The icon may show the number of a person who has left.
        if listed.contains(where: { $0.payload.badge != nil && filter.dropReason(of: $0) != nil }) {
            step.state.sync.badge.toBeShown()
        }
        let badges = meant.compactMap { push in push.badge.map { (push.sid, $0) } }
        step.state.sync.badge.received(listed: Dictionary(badges) { $0.revision < $1.revision ? $1 : $0 })
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
