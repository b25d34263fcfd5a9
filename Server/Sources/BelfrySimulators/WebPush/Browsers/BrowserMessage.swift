/// A message of a browser in Mozilla's push protocol (WEB-7): a JSON object with a `messageType`, or `{}` for a ping.
///
/// Source: Firefox, `PushServiceWebSocket.sys.mjs`, and recorded requests.
enum BrowserMessage: Sendable, Equatable {
    /// The browser's id here, if it has subscriptions.
    case hello(browser: String?)
    /// A subscription for a web app, with or without its application server's key.
    case register(channel: String, key: String?)
    case unregister(channel: String)
    case acknowledge([Acknowledgement])
    case ping
    /// Broadcasts, and everything else that needs no response.
    case other

    /// The browser has received a push, with whatever result.
    struct Acknowledgement: Sendable, Equatable {
        var channel: String
        var version: String
    }

    /// The maximum size of one message.
    static let maximumBytes = 65_536
    /// The maximum length of a channel's or a browser's id in characters; both are UUIDs.
    static let maximumName = 64

    /// Nil if the bytes are not a message of the protocol.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes, let members = JSONValue.object(from: bytes) else { return nil }
        guard let type = members["messageType"] else {
            guard members.isEmpty else { return nil }
            self = .ping
            return
        }
        switch type {
        case .string("hello"):
            self = .hello(browser: Self.name(members["uaid"]))
        case .string("register"):
            guard let channel = Self.name(members["channelID"]) else { return nil }
            self = .register(channel: channel, key: Self.text(members["key"]).map(Self.withoutPadding))
        case .string("unregister"):
            guard let channel = Self.name(members["channelID"]) else { return nil }
            self = .unregister(channel: channel)
        case .string("ack"):
            guard case .array(let updates)? = members["updates"] else { return nil }
            self = .acknowledge(updates.compactMap(Self.acknowledgement))
        case .string:
            self = .other
        default:
            return nil
        }
    }

    private static func acknowledgement(_ update: JSONValue) -> Acknowledgement? {
        guard case .object(let members) = update, let channel = name(members["channelID"]),
            let version = text(members["version"])
        else { return nil }
        return Acknowledgement(channel: channel, version: version)
    }

    private static func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value else { return nil }
        return text
    }

    private static func name(_ value: JSONValue?) -> String? {
        guard let text = text(value), (1...maximumName).contains(text.utf8.count) else { return nil }
        return text
    }

    /// The text without padding: Firefox pads base64url, unlike RFC 8292.
    private static func withoutPadding(_ text: String) -> String {
        String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
}
