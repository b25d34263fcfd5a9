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

    static func key(of request: PlainRequest) throws(WebPushRefusal) -> DeviceTokenKey {
        guard request.path.hasPrefix(pathPrefix) else { throw WebPushRefusal(.badPath) }
        guard request.method == "POST" else { throw WebPushRefusal(.methodNotAllowed) }
        guard let key = DeviceTokenKey(base64URL: request.path.dropFirst(pathPrefix.utf8.count)) else {
            throw WebPushRefusal(.unknownSubscription)
        }
        return key
    }

    static func head(of request: PlainRequest, _ key: DeviceTokenKey) throws(WebPushRefusal) -> WebPushHead {
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
    static func refusal(by subscription: WebPushStanding?, _ signature: VAPIDSignature?) -> WebPushRefusal? {
        guard let subscription else { return WebPushRefusal(.unknownSubscription) }
        if let key = subscription.applicationServerKey {
            guard let signature else { return WebPushRefusal(.missingAuthorization) }
            guard signature.publicKey == key else { return WebPushRefusal(.keyMismatch) }
        }
        return switch subscription.state {
        case .valid: nil
        case .unsubscribed: WebPushRefusal(.unsubscribed)
        case .expired: WebPushRefusal(.unknownSubscription)
        }
    }

    private static func readTimeToLive(_ text: String?) throws(WebPushRefusal) -> Int {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw WebPushRefusal(.badTTL) }
        // More digits than a number holds are still a number of seconds, and too many.
        return min(Int(text) ?? longestTimeToLive, longestTimeToLive)
    }

    private static func readTopic(_ request: PlainRequest) throws(WebPushRefusal) -> String? {
        guard request.has("topic") else { return nil }
        guard let topic = request.field("topic"), (1...topicLimit).contains(topic.utf8.count),
            topic.utf8.allSatisfy({ Base64URL.value(of: $0) != nil })
        else { throw WebPushRefusal(.badTopic) }
        return topic
    }

    private static func readUrgency(_ request: PlainRequest) throws(WebPushRefusal) -> WebPushSimulator.Urgency {
        guard request.has("urgency") else { return .normal }
        guard let urgency = request.field("urgency").flatMap({ WebPushSimulator.Urgency(rawValue: $0) }) else {
            throw WebPushRefusal(.badUrgency)
        }
        return urgency
    }

    /// A push may come without a body; it then only wakes the web app.
    private static func checkBody(_ request: PlainRequest) throws(WebPushRefusal) {
        guard request.bodyLength > 0 else { return }
        guard request.bodyLength <= bodyLimit else { throw WebPushRefusal(.payloadTooLarge) }
        guard request.field("content-encoding") == "aes128gcm" else { throw WebPushRefusal(.badContentEncoding) }
        guard request.bodyLength >= shortestBody else { throw WebPushRefusal(.badBody) }
    }
}
