import Foundation

/// A message of FCM as Android hands it to an app.
enum FCMArrival {
    /// The keys of its data, and beside them what the notification shows.
    static func json(data: [String: String], title: String?, body: String?) throws -> Data {
        var object: [String: Any] = data
        let shown = ["title": title, "body": body].compactMapValues { $0 }
        if !shown.isEmpty { object["notification"] = shown }
        return try JSONSerialization.data(withJSONObject: object)
    }
}
