import BelfryModel
import Foundation

// Pushes and their tokens (PUSH-22, ID-5). Pushes of others are ignored: the call then returns false.
extension BelfryClient {
    /// Sets the push token of this installation. The same token is not sent twice (ID-5).
    ///
    /// - Parameters:
    ///   - token: 1 to 4,096 visible ASCII characters; for APNs lower-case hexadecimal.
    ///   - environment: the APNs environment of the token; `production` for other push services.
    ///   - provider: the push service; default: that of the platform.
    @discardableResult
    public func setPushToken(
        _ token: String,
        environment: PushEnvironment,
        provider: PushProvider? = nil
    ) async throws(BelfryError) -> EditResult {
        try await engine.push.setToken(token, provider: provider, environment: environment)
    }

    /// Sets the push token from `didRegisterForRemoteNotificationsWithDeviceToken`.
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

    /// The push token is no longer valid or no longer wanted: it is removed on the server, too.
    ///
    /// - Returns: a refusal while the client is suspended, as for every setter (REG-36).
    @discardableResult
    public func pushTokenRemoved() async throws(BelfryError) -> EditResult {
        try await engine.push.removeToken()
    }

    /// Sets the permission that the operating system gave for pushes. A push token is requested only with permission
    /// (REG-30). Not needed on platforms that know it (``DevicePlatform/pushPermission()``).
    ///
    /// - Returns: a refusal while the client is suspended, as for every setter (REG-36).
    @discardableResult
    public func setPushPermission(_ isGranted: Bool) async throws(BelfryError) -> EditResult {
        try await engine.push.setPermission(isGranted)
    }

    /// A push has arrived. It is recorded once, and shown once on platforms where the app shows notifications itself.
    /// If it announces a new message, the message centers are fetched at once (MC-4), and its badge is applied
    /// (BADGE-5).
    ///
    /// A push for a person who used the device before is dropped, by this call and the following ones: it is neither
    /// recorded nor shown, only reported (``ClientReport/pushDropped(_:)``, ID-4).
    ///
    /// - Parameter push: nil for a push that is not from Belfry, as ``ReceivedPush/init(userInfo:)`` returns it.
    /// - Returns: whether it is from Belfry.
    @discardableResult
    public func handlePush(_ push: ReceivedPush?) async throws(BelfryError) -> Bool {
        guard let push else { return false }
        // If the app's extension has received it already, that is what is recorded.
        try await engine.push.takeNotes()
        // Before it is recorded: otherwise a kill in between would lose it.
        guard try await engine.push.noticed(push) else { return true }
        let isNew = try recorder.record(.pushReceived, of: push)
        guard isNew, !push.isSilent, let display = engine.context.platform.notifications else { return true }
        if await display.display(push) { _ = try recorder.record(.pushDisplayed, of: push) }
        return true
    }

    /// Whether a push may be shown: not if it is for a person who used the device before (ID-4), and not while the
    /// client is suspended (REG-36). For systems that ask the app before they show a notification.
    public func mayShow(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        try await engine.push.dropReason(of: push) == nil
    }

    /// Why a push is dropped, without waiting. If the storage cannot be opened, the recipient is unknown, and the push
    /// is not dropped.
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

    /// The person opened the push or pressed one of its buttons; counted once. The action to perform is
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
    /// Sets the badge, first on the server, and returns when the server has answered. Without a network it throws at
    /// once. On any error the badge does not change. A number above the app's maximum on the server becomes that
    /// maximum. 0 removes the number, and all of the app's notifications from the system's list, also those that are not
    /// from Belfry.
    ///
    /// - Parameter count: 0 and more.
    /// - Throws: ``MessageCenterError/Code/invalidBadge`` below 0, and the errors of a request.
    public func setBadgeCount(_ count: Int) async throws(MessageCenterError) {
        try await engine.badge.set(count)
    }

    /// Removes the badge: same as ``setBadgeCount(_:)`` with 0.
    public func resetBadgeCount() async throws(MessageCenterError) {
        try await setBadgeCount(0)
    }

    /// The badge as server and device last agreed on it.
    public var badgeCount: Int {
        get async throws(BelfryError) { try await engine.badge.badge.count }
    }
}
