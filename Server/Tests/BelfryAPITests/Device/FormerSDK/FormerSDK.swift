import BelfryModel
import BelfryTestSupport
import Foundation
import Hummingbird
import Testing

/// The SDK of version 0.1.0, as far as the server sees it: what it sends, and what it is told.
///
/// The requests are those of the sources of commit 6926338e, read and written down by hand; the file says each byte but
/// for what the server has given and the time. They follow from these sources: the order of the calls from
/// `BelfryRules/Device/SyncPlan`, paths and headers from `Belfry/Sync/DeviceRequests` and its two extensions, bodies from
/// the types of `BelfryWire` and from `RegistrationSnapshot` through `JSONEncoder`, which escapes slashes and leaves out
/// what is nil, events from `Belfry/Tracking/EventBody`, `EventBatch` and `EventRecorder`, by a writer that does not escape
/// slashes.
struct FormerSDK {
    /// One request. `{{name}}` stands for a value: `order`, `time` and `now` for the device's clock, the others for what the
    /// server has given before.
    private struct Call: Decodable {
        let name: String
        let method: String
        let path: String
        let headers: [String: String]
        let body: String?
    }

    private struct Conversation: Decodable {
        let calls: [Call]
    }

    /// Its installation.
    static let device = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"

    private let server: TestServer
    private let calls: [String: Call]
    private var sent = 0
    private(set) var values: [String: String] = [:]

    init(_ server: TestServer) throws {
        self.server = server
        var tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { tests.deleteLastPathComponent() }
        let file = try Data(contentsOf: tests.appending(path: "FormerSDK/0.1.0.json"))
        let conversation = try JSONDecoder().decode(Conversation.self, from: file)
        calls = Dictionary(uniqueKeysWithValues: conversation.calls.map { ($0.name, $0) })
    }

    /// Remembers what an answer brought, by the name that the file has for it.
    mutating func keep(_ value: String, as name: String) {
        values[name] = value
    }

    /// Sends one request of the file. The client's state is kept from every answer, as `SyncState.answered` does.
    mutating func send(_ name: String) async throws -> APIResponse {
        let call = try #require(calls[name], "\(name)")
        let method = try #require(HTTPRequest.Method(rawValue: call.method))
        // It grows with each request, though the test's clock stands still.
        sent += 1
        values["order"] = String(server.clock.now.milliseconds + Int64(sent))
        values["time"] = String(server.clock.now.milliseconds)
        values["now"] = Timestamp.text(server.clock.now)
        let path = try filled(call.path)
        let body = try call.body.map { try filled($0) }
        let headers = try call.headers.mapValues { try filled($0) }
        let answer = try await server.call(method, path, body, headers: headers)
        if let state = answer.header("X-Client-State"), !state.isEmpty { values["clientState"] = state }
        return answer
    }

    private func filled(_ text: String) throws -> String {
        var filled = text
        for (name, value) in values { filled = filled.replacing("{{\(name)}}", with: value) }
        try #require(!filled.contains("{{"), "the server has not given all of \(text)")
        return filled
    }
}

/// How it understands an answer: `DeviceAnswer` and `CallOutcome` of that commit.
extension APIResponse {
    /// A success with a body of this type (`reading`).
    func read<Value: Decodable>(
        _ type: Value.Type, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Value {
        #expect((200..<300).contains(status.code), "\(name): \(text)", sourceLocation: sourceLocation)
        return try json(type)
    }

    /// A success that says nothing, or something in JSON, and the client's state, without which it would count as none of
    /// a Belfry server (`expectingNothing`).
    func expectNothing(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect((200..<300).contains(status.code), "\(name): \(text)", sourceLocation: sourceLocation)
        #expect(header("X-Client-State")?.isEmpty == false, "\(name)", sourceLocation: sourceLocation)
        if body.readableBytes > 0 { _ = try json(JSONValue.self) }
    }
}
