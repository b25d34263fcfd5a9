import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import NIOHTTP1

/// A device as the specification of the device API describes it, without the SDK: it keeps its tokens and state, and
/// remembers nothing else.
actor DeviceCaller {
    nonisolated let id: String
    nonisolated let app: String
    private let http: HTTPCaller
    private var server: String
    private var contactToken: String?
    private var refreshToken: String?
    private var state: String?
    private var lastOrder: Int64 = 0

    init(id: UUID = UUID(), app: String = "shop", server: ServerProcess, http: HTTPCaller) {
        self.id = id.uuidString
        self.app = app
        self.server = server.address
        self.http = http
    }

    /// The server has restarted, on another port.
    func move(to server: ServerProcess) {
        self.server = server.address
    }

    // MARK: Calls

    func putProperties(_ properties: ClientProperties) async throws {
        try await call(.POST, "client", properties, token: nil)
    }

    func linkAnonymously() async throws {
        let response = try await call(.POST, "client/contact?anonymous=true", String?.none, token: contactToken)
        let link = try response.decoded(as: ContactLinkResponse.self)
        contactToken = link.contactToken
        refreshToken = link.refreshToken
    }

    /// Logs somebody in.
    func link(to contactKey: String) async throws {
        let request = ContactLinkRequest(contactFieldId: "3", contactFieldValue: contactKey)
        let response = try await call(.POST, "client/contact", request, token: contactToken)
        let link = try response.decoded(as: ContactLinkResponse.self)
        contactToken = link.contactToken
        refreshToken = link.refreshToken
    }

    func putPushToken(
        _ token: String, provider: PushProvider = .apns, environment: PushEnvironment
    ) async throws {
        let request = PushTokenRequest(pushToken: token, provider: provider, environment: environment)
        try await call(.PUT, "client/push-token", request, token: contactToken)
    }

    /// - Parameter order: from `nextOrder()` when the snapshot was made; nil for now.
    @discardableResult
    func register(_ snapshot: RegistrationSnapshot, order: Int64? = nil) async throws -> RegistrationResponse {
        try await call(.POST, "client/registration", snapshot, token: contactToken, order: order).decoded()
    }

    func receipt(_ registration: String) async throws -> RegistrationReceipt {
        try await call(.GET, "client/registration/\(registration)", String?.none, token: contactToken).decoded()
    }

    func messageCenters() async throws -> MessageCentersResponse {
        try await call(.GET, "client/message-centers", String?.none, token: contactToken).decoded()
    }

    /// Sends events; throws also when one of them was not stored.
    func send(_ events: [WireEvent]) async throws {
        let response = try await call(.POST, Self.eventsPath, EventsRequest(events: events), token: contactToken)
        guard !response.body.isEmpty, let rejected = try response.decoded(as: EventBatchResponse.self).rejected,
            !rejected.isEmpty
        else { return }
        throw EventsRejected(events: rejected)
    }

    /// Sends events once, whatever the response is.
    func attempt(_ events: [WireEvent]) async throws -> HTTPCaller.Response {
        try await http.answer(
            .POST, "\(server)/v3/apps/\(app)/\(Self.eventsPath)", headers: headers(token: contactToken, order: nil),
            body: try JSONEncoder().encode(EventsRequest(events: events))
        )
    }

    /// A number for `X-Request-Order` above all former ones.
    func nextOrder() -> Int64 {
        lastOrder = max(lastOrder + 1, Date().milliseconds)
        return lastOrder
    }

    /// A call to send events as bytes, for who writes them to a socket himself.
    func eventsRequest(_ events: [WireEvent]) throws -> (head: String, body: String) {
        let body = String(decoding: try JSONEncoder().encode(EventsRequest(events: events)), as: UTF8.self)
        let fields =
            headers(token: contactToken, order: nil) + [
                ("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", "\(body.utf8.count)"),
            ]
        let lines = ["POST /v3/apps/\(app)/\(Self.eventsPath) HTTP/1.1"] + fields.map { "\($0.0): \($0.1)" }
        return (lines.joined(separator: "\r\n") + "\r\n\r\n", body)
    }

    // MARK: How

    private static let eventsPath = "client/events"

    private struct EventsRequest: Encodable {
        let events: [WireEvent]
    }

    @discardableResult
    private func call(
        _ method: HTTPMethod, _ path: String, _ body: (some Encodable)?, token: String?, order: Int64? = nil
    ) async throws -> HTTPCaller.Response {
        let response = try await http.call(
            method, "\(server)/v3/apps/\(app)/\(path)", headers: headers(token: token, order: order),
            body: try body.map { try JSONEncoder().encode($0) }
        )
        state = response.headers.first(name: HeaderNames.clientState) ?? state
        return response
    }

    private func headers(token: String?, order: Int64?) -> [(String, String)] {
        var headers = [
            (HeaderNames.clientID, id), (HeaderNames.requestOrder, "\(order ?? nextOrder())"),
        ]
        if let state { headers.append((HeaderNames.clientState, state)) }
        if let token { headers.append((HeaderNames.contactToken, token)) }
        return headers
    }
}

struct EventsRejected: Error {
    let events: [RejectedEvent]
}
