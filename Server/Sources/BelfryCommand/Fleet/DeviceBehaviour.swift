import BelfryModel
import Foundation

/// How one simulated device and its person behave.
struct DeviceBehaviour: Hashable, Sendable {
    enum Consent: Hashable, Sendable {
        case granted
        /// Switched off in the app.
        case appSwitch
        /// Denied to the operating system.
        case denied
    }

    enum Token: Hashable, Sendable {
        case valid
        /// The app is deleted after it has registered.
        case unregistered
        /// What no push service ever gave.
        case foreign
    }

    /// Where it has its token from: a phone of Apple's, one with Android, or a browser.
    var provider = PushProvider.apns
    var consent = Consent.granted
    var token = Token.valid
    /// It is killed before the campaign, and comes back after it.
    var isKilled = false
    /// The person logs in, and may log out in the end.
    var logsIn = false
    var logsOut = false
    /// The person opens what is shown.
    var opens = false
    var city = "Paris"
    var locale = "fr-FR"
    /// Not everybody tells it.
    var firstName: String?
    var tag: String?

    private static let people: [String?] = ["Anna", "Bruno", "Clara", nil, "David", "Elena", "Felix"]

    /// A crowd with some of everybody: of a hundred, five say no in the app and five to the system, five have deleted
    /// the app, five hold a token that nobody gave them, ten are killed and come back, sixty log in and ten of them out,
    /// and half of those who see a push open it. Sixty have their token from APNs, twenty from FCM and twenty are browsers, with some of everybody each.
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

    /// Each twenty are dealt out one place further on, so that those who misbehave are not always at the same service.
    private static func provider(of index: Int) -> PushProvider {
        switch (index + index / 20) % 5 {
        case 2: .fcm
        case 3: .webpush
        default: .apns
        }
    }

    /// The app is on the device, whatever its person says about pushes.
    var hasApp: Bool { token != .unregistered }

    /// A push without anything to show reaches it: browsers have none, and they go to nobody who has said no (PUSH-7).
    var hearsSilentPushes: Bool { provider != .webpush && consent == .granted && token == .valid }

    /// What the device calls its system.
    var platform: String {
        switch provider {
        case .apns: "ios"
        case .fcm: "android"
        case .webpush: "web"
        }
    }
}

/// How long a simulated device's app takes its time.
struct DevicePace: Hashable, Sendable {
    /// Seconds in the background after which the next look is a new session.
    var sessionTimeout: TimeInterval
    /// Seconds from one in-app message to the next.
    var inAppGap: TimeInterval

    /// As apps have it.
    static let standard = DevicePace(sessionTimeout: 30, inAppGap: 30)
    /// For a story whose listeners do not wait half a minute between two of its steps.
    static let hurried = DevicePace(sessionTimeout: 1, inAppGap: 0)
}
