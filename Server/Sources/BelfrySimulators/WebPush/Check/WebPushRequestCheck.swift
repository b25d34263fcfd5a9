/// Decides whether a push service would accept a push. It has no side effects and gets all facts as parameters.
///
/// The order is: method, path, authorization, fields, payload; and last the subscription (`error(…)`), so that a
/// fault of the sender never looks like a fault of a browser.
///
/// Sources: RFC 8030, RFC 8188, RFC 8291 §4, RFC 8292.
enum WebPushRequestCheck {
    static let pathPrefix = "/push/"
    /// The maximum size of a body in bytes. RFC 8030 §7.2: a service must accept 4,096.
    static let bodyLimit = 4_096
    /// The minimum size of a body in bytes: a header with the sender's key (16 + 4 + 1 + 65), a delimiter and a tag.
    static let shortestBody = 86 + 1 + 16
    /// The maximum length of a topic in characters.
    static let topicLimit = 32
    /// Four weeks in seconds. RFC 8030 §5.2 lets a service store a push for less time than requested.
    static let longestTimeToLive = 2_419_200

    static func key(of request: PlainRequest) throws(WebPushRequestError) -> DeviceTokenKey {
        guard request.path.hasPrefix(pathPrefix) else { throw WebPushRequestError(.badPath) }
        guard request.method == "POST" else { throw WebPushRequestError(.methodNotAllowed) }
        guard let key = DeviceTokenKey(base64URL: request.path.dropFirst(pathPrefix.utf8.count)) else {
            throw WebPushRequestError(.unknownSubscription)
        }
        return key
    }

    static func head(of request: PlainRequest, _ key: DeviceTokenKey) throws(WebPushRequestError) -> WebPushHead {
        let head = WebPushHead(
            key: key,
            timeToLive: try readTimeToLive(request.field("ttl")),
            topic: try readTopic(request),
            urgency: try readUrgency(request)
        )
        try checkBody(request)
        return head
    }

    /// Why the subscription does not take the push, or nil if it does. Nil signature: the sender gave none.
    static func error(by subscription: SimulatedSubscription?, _ signature: VAPIDSignature?) -> WebPushRequestError? {
        guard let subscription else { return WebPushRequestError(.unknownSubscription) }
        if let key = subscription.applicationServerKey {
            guard let signature else { return WebPushRequestError(.missingAuthorization) }
            guard signature.publicKey == key else { return WebPushRequestError(.keyMismatch) }
        }
        return switch subscription.state {
        case .valid: nil
        case .unsubscribed: WebPushRequestError(.unsubscribed)
        case .expired: WebPushRequestError(.unknownSubscription)
        }
    }

    private static func readTimeToLive(_ text: String?) throws(WebPushRequestError) -> Int {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw WebPushRequestError(.badTTL) }
        // A number with too many digits is still a number of seconds, and too large.
        return min(Int(text) ?? longestTimeToLive, longestTimeToLive)
    }

    private static func readTopic(_ request: PlainRequest) throws(WebPushRequestError) -> String? {
        guard request.has("topic") else { return nil }
        guard let topic = request.field("topic"), (1...topicLimit).contains(topic.utf8.count),
            topic.utf8.allSatisfy({ SimulatorBase64URL.value(of: $0) != nil })
        else { throw WebPushRequestError(.badTopic) }
        return topic
    }

    private static func readUrgency(_ request: PlainRequest) throws(WebPushRequestError) -> WebPushUrgency {
        guard request.has("urgency") else { return .normal }
        guard let urgency = request.field("urgency").flatMap({ WebPushUrgency(rawValue: $0) }) else {
            throw WebPushRequestError(.badUrgency)
        }
        return urgency
    }

    /// Checks the body. A push without a body is valid; it only wakes the web app.
    private static func checkBody(_ request: PlainRequest) throws(WebPushRequestError) {
        guard request.bodyLength > 0 else { return }
        guard request.bodyLength <= bodyLimit else { throw WebPushRequestError(.payloadTooLarge) }
        guard request.field("content-encoding") == "aes128gcm" else { throw WebPushRequestError(.badContentEncoding) }
        guard request.bodyLength >= shortestBody else { throw WebPushRequestError(.badBody) }
    }
}

/// A push with a valid head and size. Whether the subscription accepts it is checked separately.
struct WebPushHead: Sendable, Equatable {
    var key: DeviceTokenKey
    /// How many seconds the service stores it.
    var timeToLive: Int
    var topic: String?
    var urgency: WebPushUrgency
}
