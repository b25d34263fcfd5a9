import Foundation

/// What a browser gives in place of a push token: the subscription object (WIRE-5).
struct WebPushSubscription: Hashable, Sendable, Codable {
    struct Keys: Hashable, Sendable, Codable {
        var p256dh: String
        var auth: String
    }

    var endpoint: String
    var keys: Keys

    /// One text for one subscription: JSON without spaces, keys sorted.
    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
