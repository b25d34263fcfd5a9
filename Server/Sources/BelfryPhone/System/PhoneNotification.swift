import Belfry
import BelfryModel
import Foundation

/// A notification as the phone shows it: what the system reads of a push's payload.
struct PhoneNotification: Sendable, Hashable, Identifiable {
    /// Longer texts are cut, as on a phone.
    private static let maximumText = 1_000
    /// A larger payload is none that APNs delivers.
    private static let maximumBytes = 5_120

    struct Button: Sendable, Hashable {
        let id: String
        let text: String
    }

    let id: Int
    /// As it came: what the phone keeps of the notification.
    let payload: Data
    /// Nil for another sender's.
    let push: ReceivedPush?
    let title: String?
    let subtitle: String?
    let body: String?
    /// `thread-id`: notifications of one thread are grouped.
    let threadID: String?
    let collapseID: String?
    let image: URL?
    let buttons: [Button]
    /// `aps.badge`; nil leaves the icon as it is.
    let badge: Int?
    let hasSound: Bool
    /// `content-available`: the app is woken.
    let wakesApp: Bool
    let at: Date

    /// - Returns: nil for what is no payload; the system ignores it.
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

    /// It shows something; another one only changes the badge, or wakes the app.
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
