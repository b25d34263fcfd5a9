/// A message of the push service to a browser, in Mozilla's push protocol.
struct BrowserAnswer: Sendable, Equatable, Encodable {
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
    static func hello(browser: String) -> BrowserAnswer {
        var answer = BrowserAnswer("hello")
        answer.browser = browser
        answer.usesWebPush = true
        answer.status = 200
        return answer
    }

    static func registered(channel: String, endpoint: String) -> BrowserAnswer {
        var answer = BrowserAnswer("register")
        answer.channel = channel
        answer.endpoint = endpoint
        answer.status = 200
        return answer
    }

    static func rejected(channel: String, _ status: Int) -> BrowserAnswer {
        var answer = BrowserAnswer("register")
        answer.channel = channel
        answer.status = status
        return answer
    }

    static func unregistered(channel: String) -> BrowserAnswer {
        var answer = BrowserAnswer("unregister")
        answer.channel = channel
        answer.status = 200
        return answer
    }

    /// A push, as the application server encrypted it; without a body it has no `data`.
    static func notification(channel: String, _ push: SimulatedWebPush) -> BrowserAnswer {
        var answer = BrowserAnswer("notification")
        answer.channel = channel
        answer.version = push.id
        if case .sealed(let body) = push.payload {
            answer.data = SimulatorBase64URL.encode(body)
            answer.headers = ["encoding": "aes128gcm"]
        }
        return answer
    }
}
