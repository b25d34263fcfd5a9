import Belfry
import BelfryModel
import Foundation

/// A notification on the phone: the parts of a push's payload that the system shows or uses.
struct PhoneNotification: Sendable, Hashable, Identifiable {
    /// The number of characters of a text; longer texts are cut, as on a real phone.
    private static let maximumText = 1_000
    /// The largest payload in bytes; APNs delivers none above it.
    private static let maximumBytes = 5_120

    struct Button: Sendable, Hashable {
        let id: String
        let text: String
    }

    let id: Int
    /// The push's payload, from which the notification is restored after a restart.
    let payload: Data
    /// The push as the SDK reads it; nil for a push from another sender.
    let push: ReceivedPush?
    let title: String?
    let subtitle: String?
    let body: String?
    /// `thread-id`: notifications with the same one are grouped.
    let threadID: String?
    let collapseID: String?
    let image: URL?
    let buttons: [Button]
    /// `aps.badge`; nil leaves the badge unchanged.
    let badge: Int?
    let hasSound: Bool
    /// `content-available`: whether the push wakes the app.
    let wakesApp: Bool
    let at: Date

    /// - Returns: nil for a malformed payload, which the system ignores.
    init?(_ arrival: PushArrival, number: Int, at date: Date) {
        guard let tree = try? CheckedJSON(arrival.payload, maximumBytes: Self.maximumBytes).tree() as? [String: Any],
            let aps = tree["aps"] as? [String: Any]
        else { return nil }
        id = number
        at = date
        payload = arrival.payload
        collapseID = arrival.collapseID
        push = ReceivedPush(json: arrival.payload)
        let alert = aps["alert"] as? [String: Any]
        title = Self.text(alert?["title"])
        subtitle = Self.text(alert?["subtitle"])
        body = Self.text(alert?["body"]) ?? Self.text(aps["alert"])
        threadID = Self.text(aps["thread-id"])
        badge = Self.count(aps["badge"])
        hasSound = aps["sound"] != nil
        wakesApp = Self.count(aps["content-available"]) == 1
        image = push?.payload.image.flatMap(URLText.url)
        buttons = (push?.payload.buttons ?? []).map { Button(id: $0.id, text: $0.text) }
    }

    /// Whether the notification shows a text. Otherwise it only changes the badge or wakes the app.
    var isVisible: Bool { title != nil || body != nil }

    private static func text(_ value: Any?) -> String? {
        guard let text = value as? String, !text.isEmpty else { return nil }
        return String(text.prefix(maximumText))
    }

    private static func count(_ value: Any?) -> Int? {
        guard let number = value as? NSNumber, let count = Int(exactly: number.doubleValue), count >= 0 else {
            return nil
        }
        return count
    }
}
