import BelfryPush
import BelfryServices
import Foundation
import Synchronization

/// Push services by script: each push token has its responses, in order, the last of them for good; a token without a
/// script is accepted. Every request is kept.
final class ScriptedTransport: PushTransport {
    enum Response: Sendable {
        case accepted
        case rejected(status: Int, reason: String, timestamp: Date? = nil, retryAfter: Int? = nil)
        /// In the words of any push service.
        case answered(status: Int, body: String)
        /// It left, and no response came.
        case silence
        /// It did not leave.
        case unsent

        static func unregistered(since: Date?) -> Response {
            .rejected(status: 410, reason: "Unregistered", timestamp: since)
        }
        static let badDeviceToken = Response.rejected(status: 400, reason: "BadDeviceToken")
        static let wrongTopic = Response.rejected(status: 400, reason: "DeviceTokenNotForTopic")
        static let tooMany = Response.rejected(status: 429, reason: "TooManyRequests")
        static let serverError = Response.rejected(status: 500, reason: "InternalServerError")
        static let invalidProviderToken = Response.rejected(status: 403, reason: "InvalidProviderToken")
        static let expiredProviderToken = Response.rejected(status: 403, reason: "ExpiredProviderToken")
        static let payloadTooLarge = Response.rejected(status: 413, reason: "PayloadTooLarge")
    }

    struct Request: Sendable {
        let token: String
        let path: String
        let route: PushRoute
        let fields: [String: String]
        let body: [UInt8]

        var apnsID: String? { fields["apns-id"] }
        var collapseID: String? { fields["apns-collapse-id"] }
        var authorization: String? { fields["authorization"] }
    }

    fileprivate struct State {
        var scripts: [String: [Response]] = [:]
        var standard = Response.accepted
        var requests: [Request] = []
        /// How many more requests are answered at once; the responses to others wait.
        var answersLeft = Int.max
        var waiting: [@Sendable () -> Void] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var onRequest: (@Sendable (Request) -> Void)?
    }

    private let state = Mutex(State())

    var requests: [Request] { state.withLock { $0.requests } }

    func requests(for token: String) -> [Request] {
        requests.filter { $0.token == token }
    }

    func answer(_ token: String, _ answers: Response...) {
        script(token, answers)
    }

    func script(_ token: String, _ answers: [Response]) {
        state.withLock { $0.scripts[token] = answers }
    }

    /// The response for tokens without a script.
    func answerAll(_ answer: Response) {
        state.withLock { $0.standard = answer }
    }

    /// After so many answers the others wait for ``release()``.
    func hold(after answers: Int = 0) {
        state.withLock { $0.answersLeft = answers }
    }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.answersLeft = .max
            return state.waiting
        }
        for give in waiting { give() }
    }

    /// What happens when a request has left, before it is answered.
    func onRequest(_ action: (@Sendable (Request) -> Void)?) {
        state.withLock { $0.onRequest = action }
    }

    /// Returns as soon as so many requests have come.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// APNs has it in the path, FCM in the body; a browser is its path.
    private static func token(of request: PushRequest) -> String {
        let prefix = "/3/device/"
        if request.path.hasPrefix(prefix) { return String(request.path.dropFirst(prefix.count)) }
        let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let message = body?["message"] as? [String: Any]
        return message?["token"] as? String ?? message?["fid"] as? String ?? request.path
    }

    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        for (index, request) in requests.enumerated() {
            let all = request.common.fields + request.fields
            let received = Request(
                token: Self.token(of: request), path: request.path, route: route,
                fields: Dictionary(all.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
                body: request.body
            )
            let (result, isDue, action) = state.withLock { $0.take(received) { onResponse(index, $0) } }
            action?(received)
            if isDue { onResponse(index, result) }
        }
        let content = state.withLock { state in
            defer { state.watchers.removeAll { $0.count <= state.requests.count } }
            return state.watchers.filter { $0.count <= state.requests.count }
        }
        for watcher in content { watcher.continuation.resume() }
    }
}

extension ScriptedTransport.State {
    /// Keeps a request and finds its response; says whether it is given now.
    fileprivate mutating func take(
        _ request: ScriptedTransport.Request, _ give: @escaping @Sendable (PushResult) -> Void
    ) -> (PushResult, isDue: Bool, action: (@Sendable (ScriptedTransport.Request) -> Void)?) {
        requests.append(request)
        var script = scripts[request.token] ?? [standard]
        let result = (script.first ?? standard).result
        if script.count > 1 {
            script.removeFirst()
            scripts[request.token] = script
        }
        if answersLeft > 0 {
            answersLeft -= 1
            return (result, true, onRequest)
        }
        waiting.append { give(result) }
        return (result, false, onRequest)
    }
}

extension ScriptedTransport.Response {
    /// As it comes from the wire.
    var result: PushResult {
        switch self {
        case .accepted:
            return .answered(PushResponse(status: 200))
        case .rejected(let status, let reason, let timestamp, let retryAfter):
            let since = timestamp.map { #","timestamp":\#($0.milliseconds)"# } ?? ""
            return .answered(
                PushResponse(
                    status: status, fields: retryAfter.map { [HeaderField("retry-after", String($0))] } ?? [],
                    body: Array(#"{"reason":"\#(reason)"\#(since)}"#.utf8)
                )
            )
        case .answered(let status, let body):
            return .answered(PushResponse(status: status, body: Array(body.utf8)))
        case .silence:
            return .unanswered(reason: "timeout")
        case .unsent:
            return .notProcessed(reason: "no connection")
        }
    }
}
