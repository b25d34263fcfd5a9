import BelfryStore
import Foundation
import Hummingbird
import Testing

@Suite("ADM-1: no change by the API without what it was done to, though the process dies right after it")
struct AuditedCallTests {
    /// What the audit log has of a call of which nothing reaches the store but the first write.
    private static func audited(
        _ server: TestServer, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) async throws -> [String] {
        let before = try await lines(server).count
        server.writes.take(1)
        _ = try await server.admin(method, path, body)
        server.writes.take(nil)
        return Array(try await lines(server).dropLast(before))
    }

    /// Newest first.
    private static func lines(_ server: TestServer) async throws -> [String] {
        try await server.database.read { try $0.audit.newest(100) }.map { entry in
            "\(entry.actor) \(entry.action) \(entry.app ?? "-") \(entry.target ?? "-")"
        }
    }

    @Test("ADM-1: the line of a call has what its address names from the first write on")
    func named() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let apns = try Credentials.body()
            let calls: [(method: HTTPRequest.Method, path: String, body: String?, line: String)] = [
                (.put, "/attributes/city", #"{"type":"string"}"#, "attribute.define shop city"),
                (.put, "/credentials/apns", apns, "credentials.put shop apns"),
                (.put, "/message-centers/news", "{}", "messageCenter.put shop news"),
                (.delete, "/message-centers/news", nil, "messageCenter.delete shop news"),
                (.post, "/campaigns", AdminAccessTests.draft, "campaign.create shop -"),
                (.put, "/campaigns/1", AdminAccessTests.draft, "campaign.update shop 1"),
                (.post, "/campaigns/1/comments", #"{"text":"Good."}"#, "campaign.comment shop 1"),
                // However the address writes the number.
                (.post, "/campaigns/001/launch", nil, "campaign.launch shop 1"),
                (.post, "/campaigns/1/cancel", nil, "campaign.cancel shop 1"),
                (.delete, "/keys/key-1", nil, "key.revoke shop key-1"),
                (.delete, "/credentials/apns", nil, "credentials.remove shop apns"),
            ]
            for call in calls {
                let audited = try await Self.audited(server, call.method, "/apps/shop\(call.path)", call.body)
                #expect(audited == ["root \(call.line)"], "\(call.method) \(call.path)")
            }
        }
    }

    @Test("ADM-1, ADM-4: the keys of people and devices never get from an address into a line")
    func people() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let calls: [(path: String, body: String?, line: String)] = [
                ("/contacts/anna/rename", #"{"to":"anne"}"#, "contact.rename shop -"),
                ("/devices/\(device.id)/revoke", nil, "device.revoke shop -"),
            ]
            for call in calls {
                let audited = try await Self.audited(server, .post, "/apps/shop\(call.path)", call.body)
                #expect(audited == ["root \(call.line)"], "\(call.path)")
            }
        }
    }
}
