import BelfryTestSupport
import Foundation

@testable import Belfry

/// A request that the SDK made.
struct ScenarioRequest: Sendable {
    /// `POST /client/contact`, without the app and the query.
    let name: String
    let query: [String: String]
    /// Names in lower case.
    let headers: [String: String]
    /// Null: none.
    let body: JSONValue
    /// Milliseconds that had passed.
    let at: Double
    /// Nobody could make it: no process was there, or the same request was on its way.
    var isUntimely = false
    var hasArrived = false
    /// The server accepts it, and stores its events.
    var isAccepted = false
    /// The indices of the events that the server rejects.
    var rejected: Set<Int> = []
    /// Headers and body of the response, once the SDK has it.
    var state: String?
    var contactToken: String?
    /// The response says that the person was erased.
    var isErased = false

    init(_ request: TransportRequest, at: Double) throws {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").dropFirst(3).joined(separator: "/")
        name = "\(request.method) /\(path)"
        let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
        query = Dictionary(pairs, uniquingKeysWith: { $1 })
        headers = Dictionary(
            request.headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        body = try request.body.map { try JSONDecoder().decode(JSONValue.self, from: $0) } ?? .null
        self.at = at
    }

    func header(_ name: String) -> String? {
        headers[name.lowercased()]
    }

    /// All events of an upload.
    var events: [JSONValue] {
        name == Self.events ? body["events"]?.array ?? [] : []
    }

    static let events = "POST /client/events"
    static let registration = "POST /client/registration"
    static let link = "POST /client/contact"
    static let refresh = "POST /client/contact-token"
    static let properties = "POST /client"
    static let webPushKey = "GET /client/web-push-key"

    /// As patterns see it.
    var value: JSONValue {
        .object([
            "request": .string(name),
            "query": .object(query.mapValues { .string($0) }),
            "body": body,
            "events": .array(events.filter { $0["type"] != .string("internal") }),
        ])
    }
}
