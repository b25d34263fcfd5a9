import Belfry
import BelfryModel
import Foundation

/// The phone's system without its app: its state and its decisions. Its rules are those of iOS, as Apple documents
/// them.
struct PhoneSystem: Sendable {
    /// The number of notifications that are kept; the oldest are removed first, as on a real phone.
    static let maximumNotifications = 100
    /// The number of silent pushes that wake the app in an hour. Apple names no figure except "two or three" ("Pushing
    /// background updates to your App").
    static let silentPushesPerHour = 3
    /// The seconds in the background after which the system suspends an idle app.
    static let suspension: TimeInterval = 5
    /// The seconds for which a banner is shown over the app.
    static let bannerTime: TimeInterval = 6
    /// The number of deleted apps' tokens that are kept until APNs is told; the oldest are forgotten first.
    static let maximumFormerTokens = 20

    /// The state of the app's process.
    enum Process: String, Sendable, Encodable {
        /// The app was not opened since the phone was switched on.
        case notRunning
        /// The person has swiped the app away, or it has crashed. Only the person can start it again.
        case killed
        case foreground
        case background
        /// The app is in memory, but gets no time to run.
        case suspended

        /// Whether the app has a process.
        var isAlive: Bool { self == .foreground || self == .background || self == .suspended }
    }

    /// The screen that the person sees.
    enum Place: String, Sendable, Encodable {
        case lockScreen
        case homeScreen
        case app
    }

    /// What happens to a push.
    enum Reception: Sendable, Hashable {
        /// The phone has no network. The push service keeps only the newest push of the app.
        case held(replacing: Bool)
        /// The push has expired, or may not be stored while the phone has no network.
        case expired
        /// The payload is malformed, so the system ignores the push.
        case ignored
        /// The app is visible, and decides whether the notification is shown.
        case forApp(PhoneNotification)
        /// The notification is on the lock screen; with `wakes`, the app also gets the push.
        case shown(PhoneNotification, replaced: Bool, wakes: Bool)
        /// The push shows nothing, and wakes the app.
        case woke(PhoneNotification)
        /// The push shows nothing, and does not wake the app.
        case notWoken(PhoneNotification, NotWoken)
        /// The person does not allow notifications, so the notification is not shown.
        case notAllowed(PhoneNotification)
    }

    /// Why a silent push does not wake the app.
    enum NotWoken: Sendable, Hashable {
        case killed
        case notRunning
        case budget
    }

    /// The part of the state that survives a restart of the phones' program, as it survives a restart of a real phone.
    struct Kept: Sendable, Hashable {
        var permission = PushPermission.notAsked
        var badge = 0
        /// The notifications, the oldest first.
        var notifications: [PhoneNotification] = []
        var pushToken: String?
        var newestPush = 0
        var held: PushArrival?
        var formerTokens: [String] = []
    }

    var process = Process.notRunning
    var place = Place.lockScreen
    var permission: PushPermission
    /// Whether the app has asked for permission and the person has not answered yet.
    var isAsking = false
    /// The notifications, the oldest first.
    private(set) var notifications: [PhoneNotification]
    /// The notification that is shown over the app as a banner.
    var banner: PhoneNotification?
    /// The number on the app's icon; 0: no badge.
    var badge: Int
    /// The app's push token; nil: it has none.
    private(set) var pushToken: String?
    /// The number of the newest push that has arrived for the token. A push that APNs keeps has not arrived.
    private(set) var newestPush: Int
    var isOnline = true
    /// Whether the push service answers, as far as the phone knows.
    var hasPushService = true
    /// The seconds by which the phone's clock is ahead.
    var clockOffset: TimeInterval = 0
    var locale = "en-GB"
    var timeZone = "Europe/London"
    var isDark = false
    var hasLargeText = false
    /// The push that the push service keeps while the phone has no network.
    private(set) var held: PushArrival?
    /// The tokens of deleted apps that APNs does not reject yet, the oldest first.
    private(set) var formerTokens: [String]
    /// The token that was lost last. If it arrives late, it is not taken.
    private var lostToken: String?
    private var silentPushes: [Date] = []
    private var numbers: Int

    /// The phone after it was switched on: it is locked, and its app is not running.
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

    /// - Parameter now: the real time, not that of the phone's own clock.
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

    /// Takes the kept push when the network is back; nil if it has expired.
    mutating func takeHeld(now: Date) -> PushArrival? {
        defer { held = nil }
        guard let held, !held.hasExpired(at: now) else { return nil }
        return held
    }

    /// Receives the kept push when the network is back; nil if there is none.
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
    /// - Returns: whether it replaced a notification with the same collapse id.
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

    /// - Parameter onlyBelfrys: whether notifications of other senders stay.
    mutating func removeNotifications(onlyBelfrys: Bool) {
        notifications.removeAll { !onlyBelfrys || $0.push != nil }
        if let shown = banner, !notifications.contains(where: { $0.id == shown.id }) { banner = nil }
    }

    /// The app was deleted: only the phone's own settings stay.
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
    /// Takes a token that the push service has issued.
    ///
    /// - Returns: false for a token that was lost before it arrived.
    mutating func take(pushToken token: String) -> Bool {
        guard token != lostToken, !formerTokens.contains(token) else { return false }
        if token != pushToken { setPushToken(token) }
        return true
    }

    /// The push service rejects this token from now on. A different present token stays.
    mutating func lose(pushToken token: String) {
        lostToken = token
        if token == pushToken { setPushToken(nil) }
    }

    /// APNs now rejects the token of a deleted app.
    mutating func retired(_ token: String) {
        formerTokens.removeAll { $0 == token }
    }

    /// Sets the token. Pushes are numbered for each token, and a push kept for the former token is not delivered any
    /// more.
    private mutating func setPushToken(_ token: String?) {
        pushToken = token
        newestPush = 0
        held = nil
        hasPushService = true
    }
}
