/// Whether a push service would take a push. Pure: what it needs to know comes as parameters.
///
/// The order is: method, path, authorization, fields, payload; and last the subscription (`refusal(…)`), so that a
/// fault of the sender never looks like a fault of a browser.
///
/// Sources: RFC 8030, RFC 8188, RFC 8291 §4, RFC 8292.
enum WebPushRequestCheck {
    static let pathPrefix = "/push/"
    /// Bytes of a body; RFC 8030 §7.2: a service must not refuse 4,096.
    static let bodyLimit = 4_096
    /// Bytes of a header with the sender's key (16 + 4 + 1 + 65), a delimiter and a tag: no body is shorter.
    static let shortestBody = 86 + 1 + 16
    /// Characters of a topic.
    static let topicLimit = 32
    /// Seconds, four weeks; RFC 8030 §5.2 lets a service keep a push for less than asked.
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
    static func refusal(by subscription: SimulatedSubscription?, _ signature: VAPIDSignature?) -> WebPushRequestError? {
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
        // More digits than a number holds are still a number of seconds, and too many.
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

    /// A push may come without a body; it then only wakes the web app.
    private static func checkBody(_ request: PlainRequest) throws(WebPushRequestError) {
        guard request.bodyLength > 0 else { return }
        guard request.bodyLength <= bodyLimit else { throw WebPushRequestError(.payloadTooLarge) }
        guard request.field("content-encoding") == "aes128gcm" else { throw WebPushRequestError(.badContentEncoding) }
        guard request.bodyLength >= shortestBody else { throw WebPushRequestError(.badBody) }
    }
}

/// A push whose head and size are good. Whether the subscription takes it is another question.
struct WebPushHead: Sendable, Equatable {
    var key: DeviceTokenKey
    /// Seconds that the service keeps it.
    var timeToLive: Int
    var topic: String?
    var urgency: WebPushUrgency
}
