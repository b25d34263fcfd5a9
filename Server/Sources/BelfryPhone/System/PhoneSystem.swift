import Belfry
import BelfryModel
import Foundation

/// The phone without its app: what the system knows and decides. Its rules are those of iOS, as Apple documents them.
struct PhoneSystem: Sendable {
    /// Notifications that are kept; then the oldest go, as on a phone.
    static let maximumNotifications = 100
    /// Silent pushes that wake the app in an hour. Apple names no figure but "two or three" ("Pushing background updates
    /// to your App").
    static let silentPushesPerHour = 3
    /// Seconds in the background until the system suspends an app that does nothing.
    static let suspension: TimeInterval = 5
    /// Seconds that a notification lies over the app.
    static let bannerTime: TimeInterval = 6
    /// Tokens of deleted apps of which APNs is still to be told; then the oldest are forgotten.
    static let maximumFormerTokens = 20

    /// What runs of the app.
    enum Process: String, Sendable, Encodable {
        /// The app was not opened since the phone was switched on.
        case notRunning
        /// The person has swiped it away, or it crashed: only the person starts it again.
        case killed
        case foreground
        case background
        /// In memory, without any time to run.
        case suspended

        /// Whether there is a process.
        var isAlive: Bool { self == .foreground || self == .background || self == .suspended }
    }

    /// What the person looks at.
    enum Place: String, Sendable, Encodable {
        case lockScreen
        case homeScreen
        case app
    }

    /// What becomes of a push.
    enum Reception: Sendable, Hashable {
        /// There is no network: the push service keeps the newest push of the app.
        case held(replacing: Bool)
        /// It has expired, or was not to be stored while there was no network.
        case expired
        /// It is no notification, and another sender's push.
        case ignored
        /// The app is shown and decides whether the notification is.
        case forApp(PhoneNotification)
        /// It is on the screen; `wakes`: and the app gets it, too.
        case shown(PhoneNotification, replaced: Bool, wakes: Bool)
        /// It shows nothing, and wakes the app.
        case woke(PhoneNotification)
        /// It shows nothing, and the app is not woken.
        case notWoken(PhoneNotification, NotWoken)
        /// It would show something, and the person does not allow it.
        case notAllowed(PhoneNotification)
    }

    /// Why a silent push does not wake the app.
    enum NotWoken: Sendable, Hashable {
        case killed
        case notRunning
        case budget
    }

    /// What outlives the phones' program, as it outlives a restart of a phone.
    struct Kept: Sendable, Hashable {
        var permission = PushPermission.notAsked
        var badge = 0
        /// The oldest first.
        var notifications: [PhoneNotification] = []
        var pushToken: String?
        var newestPush = 0
        var held: PushArrival?
        var formerTokens: [String] = []
    }

    var process = Process.notRunning
    var place = Place.lockScreen
    var permission: PushPermission
    /// The app has asked, and the person has not answered yet.
    var isAsking = false
    /// The oldest first.
    private(set) var notifications: [PhoneNotification]
    /// The notification that came while the app was shown, over the app.
    var banner: PhoneNotification?
    /// The number on the app's icon; 0: none.
    var badge: Int
    /// The app's token at the push service; nil: it has none.
    private(set) var pushToken: String?
    /// The number of the newest push that the phone has had for the token; one that APNs keeps is none.
    private(set) var newestPush: Int
    var isOnline = true
    /// The push service answers, as far as the phone knows.
    var hasPushService = true
    /// Seconds by which the phone's clock is ahead.
    var clockOffset: TimeInterval = 0
    var locale = "en-GB"
    var timeZone = "Europe/London"
    var isDark = false
    var hasLargeText = false
    /// What the push service keeps while there is no network.
    private(set) var held: PushArrival?
    /// Tokens of deleted apps that APNs is still to reject, the oldest first.
    private(set) var formerTokens: [String]
    /// The token that was lost last: who still brings it is late.
    private var lostToken: String?
    private var silentPushes: [Date] = []
    private var numbers: Int

    /// The phone was switched on: it is locked, and nothing of its app runs.
    init(_ kept: Kept = Kept()) {
        permission = kept.permission
        badge = kept.badge
        notifications = kept.notifications
        pushToken = kept.pushToken
        newestPush = kept.newestPush
        held = kept.held
        formerTokens = kept.formerTokens
        numbers = kept.notifications.map(\.id).max() ?? 0
    }

    var kept: Kept {
        Kept(
            permission: permission, badge: badge, notifications: notifications, pushToken: pushToken,
            newestPush: newestPush, held: held, formerTokens: formerTokens
        )
    }

    /// - Parameter now: the time of the network, not of the phone's own clock.
    mutating func receive(_ arrival: PushArrival, now: Date) -> Reception {
        if !isOnline, arrival.hasExpired(at: now) { return .expired }
        guard isOnline else {
            // "APNs stores only one notification per bundle ID" ("Sending notification requests to APNs").
            let replaces = held != nil
            held = arrival
            return .held(replacing: replaces)
        }
        newestPush = max(newestPush, arrival.number)
        numbers += 1
        guard let notification = PhoneNotification(arrival, number: numbers, at: now) else { return .ignored }
        return notification.isVisible ? show(notification) : wake(notification, now: now)
    }

    /// The network is back: what was kept, unless it has expired.
    mutating func takeHeld(now: Date) -> PushArrival? {
        defer { held = nil }
        guard let held, !held.hasExpired(at: now) else { return nil }
        return held
    }

    /// The network is back: what becomes of the push that was kept; nil without one.
    mutating func receiveHeld(now: Date) -> Reception? {
        guard held != nil else { return nil }
        guard let arrival = takeHeld(now: now) else { return .expired }
        return receive(arrival, now: now)
    }

    private mutating func show(_ notification: PhoneNotification) -> Reception {
        guard permission == .granted else { return .notAllowed(notification) }
        if process == .foreground, place == .app { return .forApp(notification) }
        let replaced = put(notification)
        return .shown(notification, replaced: replaced, wakes: notification.wakesApp && process.isAlive)
    }

    /// Puts a notification on the lock screen, and its number on the icon.
    ///
    /// - Returns: whether it replaced one with the same collapse id.
    mutating func put(_ notification: PhoneNotification) -> Bool {
        let before = notifications.count
        if let collapseID = notification.collapseID { notifications.removeAll { $0.collapseID == collapseID } }
        let replaced = notifications.count < before
        notifications = Array((notifications + [notification]).suffix(Self.maximumNotifications))
        if let badge = notification.badge { self.badge = badge }
        return replaced
    }

    private mutating func wake(_ notification: PhoneNotification, now: Date) -> Reception {
        if let badge = notification.badge, permission == .granted { self.badge = badge }
        switch process {
        case .killed: return .notWoken(notification, .killed)
        case .notRunning: return .notWoken(notification, .notRunning)
        case .foreground: return .woke(notification)
        case .background, .suspended: break
        }
        silentPushes.removeAll { $0 <= now.addingTimeInterval(-3_600) }
        guard silentPushes.count < Self.silentPushesPerHour else { return .notWoken(notification, .budget) }
        silentPushes.append(now)
        return .woke(notification)
    }

    mutating func remove(_ id: Int) -> PhoneNotification? {
        if banner?.id == id { banner = nil }
        guard let place = notifications.firstIndex(where: { $0.id == id }) else { return nil }
        return notifications.remove(at: place)
    }

    /// - Parameter onlyBelfrys: those of another sender stay.
    mutating func removeNotifications(onlyBelfrys: Bool) {
        notifications.removeAll { !onlyBelfrys || $0.push != nil }
        if let shown = banner, !notifications.contains(where: { $0.id == shown.id }) { banner = nil }
    }

    /// The app was deleted: nothing of it is left but the phone's own settings.
    mutating func forgetApp() {
        process = .notRunning
        place = .homeScreen
        permission = .notAsked
        isAsking = false
        notifications = []
        banner = nil
        badge = 0
        if let pushToken { formerTokens = Array((formerTokens + [pushToken]).suffix(Self.maximumFormerTokens)) }
        setPushToken(nil)
    }
}

// MARK: - The push token

extension PhoneSystem {
    /// The push service has given a token.
    ///
    /// - Returns: false for one that was lost before the phone heard of it.
    mutating func take(pushToken token: String) -> Bool {
        guard token != lostToken, !formerTokens.contains(token) else { return false }
        if token != pushToken { setPushToken(token) }
        return true
    }

    /// The push service rejects a token from now on; another one stays.
    mutating func lose(pushToken token: String) {
        lostToken = token
        if token == pushToken { setPushToken(nil) }
    }

    /// APNs rejects the token of a deleted app.
    mutating func retired(_ token: String) {
        formerTokens.removeAll { $0 == token }
    }

    /// Pushes are numbered for each token, and what was kept for the former one does not come any more.
    private mutating func setPushToken(_ token: String?) {
        pushToken = token
        newestPush = 0
        held = nil
        hasPushService = true
    }
}
