import BelfryModel
import Foundation

/// How one simulated device and its user behave.
struct DeviceBehaviour: Hashable, Sendable {
    enum Consent: Hashable, Sendable {
        case granted
        /// The user switched pushes off in the app.
        case appSwitch
        /// The user denied the permission in the operating system.
        case denied
    }

    enum Token: Hashable, Sendable {
        case valid
        /// The app is deleted after it has registered.
        case unregistered
        /// A token that no push service ever issued.
        case foreign
    }

    /// The push service of the device: an Apple phone, an Android phone, or a browser.
    var provider = PushProvider.apns
    var consent = Consent.granted
    var token = Token.valid
    /// Whether the app is killed before the campaign and relaunched after it.
    var isKilled = false
    /// Whether the person logs in, and perhaps logs out at the end.
    var logsIn = false
    var logsOut = false
    /// Whether the person opens notifications that are displayed.
    var opens = false
    var city = "Paris"
    var locale = "fr-FR"
    /// The person's first name; nil for people who have not given it.
    var firstName: String?
    var tag: String?

    private static let people: [String?] = ["Anna", "Bruno", "Clara", nil, "David", "Elena", "Felix"]

    /// The behaviour of one device in a mixed crowd. Of 100 devices, five opted out in the app and five in the system,
    /// five have deleted the app, five hold a token that no push service issued, ten are killed and come back, sixty
    /// log in and ten of them out, and half of those that show a push open it. Sixty have their token from APNs, twenty
    /// from FCM, and twenty are browsers, with every behaviour among each of them.
    static func ofCrowd(_ index: Int) -> DeviceBehaviour {
        var behaviour = DeviceBehaviour()
        switch index % 20 {
        case 1: behaviour.consent = .appSwitch
        case 6: behaviour.consent = .denied
        case 11: behaviour.token = .unregistered
        case 16: behaviour.token = .foreign
        case 3, 13: behaviour.isKilled = true
        default: break
        }
        behaviour.opens = index % 5 < 3
        behaviour.logsIn = behaviour.isKilled || index % 2 == 0
        behaviour.logsOut = index % 10 == 0
        behaviour.provider = provider(of: index)
        behaviour.city = ["Paris", "Berlin", "Lisbon"][index % 3]
        behaviour.locale = ["fr-FR", "de-DE", "pt-PT"][index % 3]
        behaviour.firstName = people[index % people.count]
        behaviour.tag = index % 2 == 0 ? "sports" : nil
        return behaviour
    }

    /// Each group of twenty is shifted by one, so that the devices with problems are not always at the same push
    /// service.
    private static func provider(of index: Int) -> PushProvider {
        switch (index + index / 20) % 5 {
        case 2: .fcm
        case 3: .webpush
        default: .apns
        }
    }

    /// Whether the app is on the device, with or without consent to pushes.
    var hasApp: Bool { token != .unregistered }

    /// Whether a silent push reaches the device. Browsers get none, and silent pushes are not sent to devices that are
    /// opted out of push (PUSH-7).
    var hearsSilentPushes: Bool { provider != .webpush && consent == .granted && token == .valid }

    /// The device's name for its operating system.
    var platform: String {
        switch provider {
        case .apns: "ios"
        case .fcm: "android"
        case .webpush: "web"
        }
    }
}

/// The waiting times of a simulated device's app.
struct DevicePace: Hashable, Sendable {
    /// Seconds in the background after which the next foreground starts a new session.
    var sessionTimeout: TimeInterval
    /// The minimum time between two in-app messages, in seconds.
    var inAppGap: TimeInterval

    /// The times of real apps.
    static let standard = DevicePace(sessionTimeout: 30, inAppGap: 30)
    /// Short times, for a story whose audience does not wait half a minute between two steps.
    static let hurried = DevicePace(sessionTimeout: 1, inAppGap: 0)
}
