/// A message of the push service to a browser, in Mozilla's push protocol.
struct ServiceMessage: Sendable, Equatable, Encodable {
    enum CodingKeys: String, CodingKey {
        case type = "messageType"
        case browser = "uaid"
        case channel = "channelID"
        case endpoint = "pushEndpoint"
        case usesWebPush = "use_webpush"
        case status, version, data, headers
    }

    let type: String
    var browser: String?
    var channel: String?
    var endpoint: String?
    var usesWebPush: Bool?
    var status: Int?
    var version: String?
    var data: String?
    var headers: [String: String]?

    private init(_ type: String) {
        self.type = type
    }

    /// The browser's id from now on. If it differs from the browser's previous one, its subscriptions end.
    static func hello(browser: String) -> ServiceMessage {
        var message = ServiceMessage("hello")
        message.browser = browser
        message.usesWebPush = true
        message.status = 200
        return message
    }

    static func registered(channel: String, endpoint: String) -> ServiceMessage {
        var message = ServiceMessage("register")
        message.channel = channel
        message.endpoint = endpoint
        message.status = 200
        return message
    }

    static func rejected(channel: String, _ status: Int) -> ServiceMessage {
        var message = ServiceMessage("register")
        message.channel = channel
        message.status = status
        return message
    }

    static func unregistered(channel: String) -> ServiceMessage {
        var message = ServiceMessage("unregister")
        message.channel = channel
        message.status = 200
        return message
    }

    /// A push, as the application server encrypted it; without a body it has no `data`.
    static func notification(channel: String, _ push: SimulatedWebPush) -> ServiceMessage {
        var message = ServiceMessage("notification")
        message.channel = channel
        message.version = push.id
        if case .sealed(let body) = push.payload {
            message.data = SimulatorBase64URL.encode(body)
            message.headers = ["encoding": "aes128gcm"]
        }
        return message
    }
}
