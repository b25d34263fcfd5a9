import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// Sentences on a device's system and on whether it can get pushes.
enum DeviceWords {
    /// `iOS 18.2, app 3.1, iPhone`.
    static func system(_ system: SystemProperties) -> String {
        let parts = [
            [system.platform, system.osVersion].compactMap(\.self).joined(separator: " "),
            system.appVersion.map { "app \($0)" } ?? "", system.deviceModel ?? "",
        ].filter { !$0.isEmpty }
        return parts.isEmpty ? "Nothing is known of the device" : parts.joined(separator: ", ")
    }

    /// Whether pushes can be sent to the device, and if not, why.
    static func consent(_ profile: DeviceProfile) -> (chip: StatusChip, sentence: String) {
        if let reason = profile.consent.suppression {
            let isChoice = reason == .optedOut(.user) || reason == .optedOut(.osSetting)
            return (
                StatusChip(word: isChoice ? "Opted out" : "Not reachable", tone: isChoice ? "warning" : "bad"),
                profile.device.tokenMovedAt != nil && reason == .noToken ? movedToken : rejection(reason)
            )
        }
        if profile.device.optOut?.reason == .providerAuthentication {
            return (
                StatusChip(word: "Opted in", tone: "warning"),
                "It may get pushes, but the push service refused the app's credentials the last time. "
                    + "An admin enters new ones in the settings; then sending continues by itself."
            )
        }
        guard profile.hasCredentials else {
            return (
                StatusChip(word: "Not reachable", tone: "warning"),
                "It may get pushes, but the app has no credentials for its push service. An admin adds them in the "
                    + "settings."
            )
        }
        return (StatusChip(word: "Opted in", tone: "good"), "Pushes may be sent to it.")
    }

    /// The sentence has no time: the page adds it in the app's zone.
    private static let movedToken = """
        It has no push token: another device registered the one that it had. As a rule that is the same phone, on \
        which the app was reinstalled. An app that still runs here registers its token again the next time that it \
        is opened.
        """

    private static func rejection(_ reason: DeliveryReason) -> String {
        switch reason {
        case .optedOut(.user): "The person switched push off in the app."
        case .optedOut(.osSetting): "The person switched notifications off in the system's settings."
        case .optedOut(.tokenInvalid):
            "The push service says that the token is no longer valid: as a rule the app was removed."
        case .optedOut(.tokenMalformed): "The push service says that the token is malformed."
        case .noToken:
            "It has no push token: the app was never allowed to show notifications, or has not reported it yet."
        default: "No push may be sent to it: \(reason.rawValue)."
        }
    }
}
