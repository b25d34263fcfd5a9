import Foundation

/// A browser's equivalent of a push token: its `PushSubscription` as JSON (W3C Push API, WIRE-5).
public struct BrowserSubscription: Hashable, Sendable, Codable {
    public struct Keys: Hashable, Sendable, Codable {
        /// The browser's public key, as base64url.
        public var p256dh: String
        /// The browser's authentication secret, as base64url.
        public var auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    public var endpoint: String
    public var keys: Keys

    public init(endpoint: String, keys: Keys) {
        self.endpoint = endpoint
        self.keys = keys
    }

    /// Reads the object from its JSON text; unknown members are skipped. Nil for any other text.
    public init?(text: String) {
        guard text.utf8.count <= PushToken.maximumLength,
            let subscription = try? CheckedJSON.decode(Self.self, from: text.utf8)
        else { return nil }
        self = subscription
    }

    /// The canonical text of a subscription: JSON without spaces, keys sorted, base64url without padding. Pages that
    /// encode the keys themselves often write plain base64.
    public var text: String {
        get throws {
            var plain = self
            plain.keys = Keys(p256dh: Self.base64URL(keys.p256dh), auth: Self.base64URL(keys.auth))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(plain), as: UTF8.self)
        }
    }

    private static func base64URL(_ text: String) -> String {
        var letters = text.utf8.map { letter -> UInt8 in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return String(decoding: letters, as: UTF8.self)
    }
}
