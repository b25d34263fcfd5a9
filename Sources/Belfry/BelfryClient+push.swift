import BelfryModel
import Foundation

// Pushes and their tokens (PUSH-22, ID-5). Whatever is not ours is left alone: each hook then returns false.
extension BelfryClient {
    /// Hands over the token that the push service gave to this installation. The same one is not sent twice (ID-5).
    ///
    /// - Parameters:
    ///   - token: 1 to 4,096 visible ASCII characters; for APNs lower-case hexadecimal.
    ///   - environment: which of Apple's two services gave it; `production` elsewhere.
    ///   - provider: the push service; by default the platform's own.
    @discardableResult
    public func setPushToken(
        _ token: String,
        environment: PushEnvironment,
        provider: PushProvider? = nil
    ) async throws(BelfryError) -> EditResult {
        try await engine.push.setToken(token, provider: provider, environment: environment)
    }

    /// Hands over the token as `didRegisterForRemoteNotificationsWithDeviceToken` brings it.
    @discardableResult
    public func setPushToken(
        _ deviceToken: Data,
        environment: PushEnvironment
    ) async throws(BelfryError) -> EditResult {
        let digits = deviceToken.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return try await setPushToken(digits.joined(), environment: environment, provider: .apns)
    }

    /// The push service took the token back, or the app gave it up: the server forgets it.
    ///
    /// - Returns: a refusal while the client rests, as every setter does (REG-36).
    @discardableResult
    public func pushTokenRemoved() async throws(BelfryError) -> EditResult {
        try await engine.push.removeToken()
    }

    /// What the operating system answered when it was asked for pushes. A token is asked for only after a yes (REG-30).
    /// Needless where the platform knows it (``DevicePlatform/pushPermission()``).
    ///
    /// - Returns: a refusal while the client rests, as every setter does (REG-36).
    @discardableResult
    public func setPushPermission(_ isGranted: Bool) async throws(BelfryError) -> EditResult {
        try await engine.push.setPermission(isGranted)
    }

    /// A push has arrived. It is recorded once, and shown once where the app shows notifications itself. One that tells
    /// of a new message makes the message centres due at once (MC-4), and the badge that it names is taken (BADGE-5).
    ///
    /// One that is meant for a person who used the device before is dropped, by this call and by the next ones: neither
    /// recorded nor shown, only reported (``ClientReport/pushDropped(_:)``, ID-4).
    ///
    /// - Parameter push: nil for somebody else's, as ``ReceivedPush/init(userInfo:)`` returns it.
    /// - Returns: whether it is ours.
    @discardableResult
    public func handlePush(_ push: ReceivedPush?) async throws(BelfryError) -> Bool {
        guard let push else { return false }
        // Before it is recorded: after a kill in between it is told again.
        guard try await engine.push.noticed(push) else { return true }
        let isNew = try recorder.record(.pushReceived, of: push)
        guard isNew, !push.isSilent, let display = engine.context.platform.notifications else { return true }
        if await display.display(push) { _ = try recorder.record(.pushDisplayed, of: push) }
        return true
    }

    /// Whether a push may be shown: none that is meant for a person who used the device before (ID-4), and none while the
    /// client rests (REG-36). For an app that is asked by the system before a notification is shown.
    public func mayShow(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        try await engine.push.dropReason(of: push) == nil
    }

    /// Why a push is not taken, for one who cannot wait. When the storage cannot be opened nobody knows for whom it is,
    /// and it is taken for the person's.
    func dropReasonAtOnce(of push: ReceivedPush) -> PushDropReason? {
        guard (try? recorder.storage.opened()) != nil else { return nil }
        return recorder.storage.pushFilter.withLock { $0 }.dropReason(of: push)
    }

    /// The push was shown to the person; counted once.
    @discardableResult
    public func pushDisplayed(_ push: ReceivedPush?) async throws(BelfryError) -> Bool {
        guard let push else { return false }
        guard try await engine.push.takes(push) else { return true }
        _ = try recorder.record(.pushDisplayed, of: push)
        return true
    }

    /// The person opened the push or pressed one of its buttons; counted once. What to do then says
    /// ``ReceivedPush/action(button:)``.
    ///
    /// - Parameter button: the button's id; nil for the notification itself.
    @discardableResult
    public func pushOpened(_ push: ReceivedPush?, button: String? = nil) async throws(BelfryError) -> Bool {
        guard let push else { return false }
        guard try await engine.push.takes(push) else { return true }
        var attributes: [String: AttributeValue] = ["origin": .string(button == nil ? "main" : "button")]
        if let button { attributes["button_id"] = .string(button) }
        _ = try recorder.record(.pushClick, of: push, attributes: attributes)
        return true
    }

    /// The person dismissed the push; counted once.
    @discardableResult
    public func pushDismissed(_ push: ReceivedPush?) async throws(BelfryError) -> Bool {
        guard let push else { return false }
        guard try await engine.push.takes(push) else { return true }
        _ = try recorder.record(.pushDismiss, of: push)
        return true
    }
}

// The number on the app's icon (BADGE-1 to BADGE-5). Campaigns change it, and so does the app; server and device agree.
extension BelfryClient {
    /// Sets the badge. The server is told first, so it waits for the network; on any error the badge stays as it was.
    /// A number above the app's maximum on the server becomes that maximum. 0 takes the number away, and all of the app's
    /// notifications out of the system's list, whoever sent them.
    ///
    /// - Parameter count: 0 and more.
    /// - Throws: ``MessageCenterError/Code/invalidBadge`` below 0, and what may go wrong on the way.
    public func setBadgeCount(_ count: Int) async throws(MessageCenterError) {
        try await engine.badge.set(count)
    }

    /// Takes the badge away: as ``setBadgeCount(_:)`` with 0.
    public func resetBadgeCount() async throws(MessageCenterError) {
        try await setBadgeCount(0)
    }

    /// The badge as server and device last agreed on it.
    public var badgeCount: Int {
        get async throws(BelfryError) { try await engine.badge.badge.count }
    }
}
