import BelfryModel
import BelfryStore
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

/// A request that succeeds as it stands; a test takes one thing away, or spoils it.
struct StagedCall: Sendable {
    let operation: DescribedOperation
    let method: HTTPRequest.Method
    var address: String
    /// An empty value leaves the header out.
    var headers: [String: String]
    var body: JSONValue?

    /// The statuses that mean success.
    var successes: Set<Int> { Set(operation.responses.keys.compactMap { Int($0) }.filter { $0 < 300 }) }
}

/// A server with all that the calls of the description need: an app with attributes, credentials, a message center and
/// a draft, and a device that is linked, registered and has a push token and a message.
struct CallStage: Sendable {
    static let registrationID = "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D"
    static let at = "2026-11-21T12:00:00.000Z"

    /// Quarantined work of the app; a step of the housekeeping is quarantined as well.
    static let quarantined = WorkSubject.registration(7)

    let server: TestServer
    let device: TestDevice
    /// The messages in the center of the device's contact.
    let message: String

    static func run(_ test: @Sendable (CallStage) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            try await Credentials.putAll(on: server)
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#)
            let snapshot = device.snapshot(revision: 1, registrationID: registrationID, #","tags":["a"]"#)
            try await device.call(.post, "/client/registration", snapshot)
            _ = try await server.registrations.processWaiting()
            _ = try await server.admin(.put, "/apps/shop/message-centers/news", "{}")
            try await server.keep(TestMessage(center: "news", at: server.clock.now, html: "<p>Hi</p>"), for: device)
            let message = try #require(try await device.messages(in: "news").first).id
            try await server.quarantine([quarantined, .upkeep(.events)])
            try await test(CallStage(server: server, device: device, message: message))
        }
    }

    /// The operations of the device API.
    var deviceOperations: [DescribedOperation] { APIDescription.own.operations.filter(\.isDevice) }
    /// The operations of the admin API.
    var adminOperations: [DescribedOperation] { APIDescription.own.operations.filter { $0.scope != nil } }

    func call(_ id: String) throws -> StagedCall {
        try call(try #require(APIDescription.own.operation(id), "\(id)"))
    }

    func call(_ operation: DescribedOperation) throws -> StagedCall {
        let values = [
            "appCode": "shop", "app": "shop", "registrationId": Self.registrationID, "key": "city", "id": "1",
            "clientId": device.id, "contactKey": "anna", "center": "news", "messageId": message,
            "rehearsal": "1", "session": "1",
            "work": Self.quarantined.description, "adminKey": "key-1", "user": "anna@example.com", "receipt": "unknown",
            "version": "1", "comment": "1",
        ]
        let query = operation.id == "explain" ? "?campaign=1&device=\(device.id)" : ""
        return StagedCall(
            operation: operation, method: try #require(HTTPRequest.Method(rawValue: operation.method)),
            address: operation.address(values) + query, headers: headers(for: operation),
            body: try operation.body.flatMap { try body($0["$ref"]?.optionalString ?? "") }
        )
    }

    private func headers(for operation: DescribedOperation) -> [String: String] {
        guard operation.isDevice else { return ["Authorization": "Bearer \(TestServer.rootKey)"] }
        var headers = ["X-Client-Id": device.id, "X-Request-Order": String(server.clock.now.milliseconds)]
        headers["X-Client-State"] = device.state
        if operation.id == "readRichContent" { headers["Idempotency-Key"] = "key-1" }
        if operation.needsContactToken { headers["X-Contact-Token"] = device.contactToken }
        return headers
    }

    /// Time continues between calls, so that nobody calls too often (SEC-2).
    func send(_ call: StagedCall) async throws -> APIResponse {
        try await send(call, bytes: call.body.map { Array($0.text.utf8) })
    }

    /// - Parameter bytes: in the place of the call's own body.
    func send(_ call: StagedCall, bytes: [UInt8]?) async throws -> APIResponse {
        server.clock.advance(by: 0.25)
        return try await server.call(call.method, call.address, bytes: bytes, headers: call.headers)
    }

    func send(_ call: StagedCall, text: String) async throws -> APIResponse {
        try await send(call, bytes: Array(text.utf8))
    }
}
