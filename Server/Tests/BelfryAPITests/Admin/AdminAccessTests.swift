import BelfryAPI
import BelfryStore
import Foundation
import Hummingbird
import Testing

@Suite("Access to the admin API")
struct AdminAccessTests {
    static let draft =
        #"{"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"There"}}"#

    /// Every call, with a body that would do.
    static let calls: [(method: HTTPRequest.Method, path: String, body: String?, scope: String)] = [
        (.get, "/apps", nil, "read"),
        (.put, "/apps/shop/credentials/apns", "{}", "admin"),
        (.get, "/apps/shop/settings", nil, "read"),
        (.put, "/apps/shop/settings", "{}", "admin"),
        (.get, "/apps/shop/attributes", nil, "read"),
        (.put, "/apps/shop/attributes/city", #"{"type":"string"}"#, "admin"),
        (.post, "/apps/shop/campaigns", draft, "campaign"),
        (.get, "/apps/shop/campaigns", nil, "read"),
        (.get, "/apps/shop/campaigns/1", nil, "read"),
        (.put, "/apps/shop/campaigns/1", draft, "campaign"),
        (.post, "/apps/shop/campaigns/1/launch", nil, "campaign"),
        (.post, "/apps/shop/campaigns/1/pause", nil, "campaign"),
        (.post, "/apps/shop/campaigns/1/resume", nil, "campaign"),
        (.post, "/apps/shop/campaigns/1/cancel", nil, "campaign"),
        (.get, "/apps/shop/message-centers", nil, "read"),
        (.put, "/apps/shop/message-centers/news", "{}", "admin"),
        (.delete, "/apps/shop/message-centers/news", nil, "admin"),
        (.get, "/apps/shop/devices/x", nil, "read"),
        (.get, "/apps/shop/devices/x/events", nil, "read"),
        (.get, "/apps/shop/devices/x/messages", nil, "read"),
        (.get, "/apps/shop/contacts/x", nil, "read"),
        (.get, "/apps/shop/campaigns/1/messages", nil, "read"),
        (.get, "/apps/shop/contacts/x/messages", nil, "read"),
        (.post, "/apps/shop/contacts/x/messages/1/recall", nil, "campaign"),
        (.get, "/apps/shop/contacts?orphaned=true", nil, "read"),
        (.delete, "/apps/shop/contacts/x", nil, "admin"),
        (.post, "/apps/shop/contacts/x/erase", nil, "admin"),
        (.get, "/apps/shop/explain?campaign=1&device=x", nil, "read"),
        (.get, "/apps/shop/explain?campaign=1&contact=x", nil, "read"),
        (.get, "/apps/shop/devices", nil, "read"),
        (.get, "/apps/shop/contacts/x/export", nil, "admin"),
        (.post, "/apps/shop/contacts/x/rename", #"{"to":"y"}"#, "admin"),
        (.post, "/apps/shop/contacts/x/merge", #"{"into":"y"}"#, "admin"),
        (.get, "/apps/shop/erasures", nil, "admin"),
        (.get, "/apps/shop/erasures/x", nil, "admin"),
        (.get, "/apps/shop/keys", nil, "admin"),
        (.post, "/apps/shop/keys", #"{"scope":"read"}"#, "admin"),
        (.delete, "/apps/shop/keys/key-99", nil, "admin"),
    ]

    @Test("ADM-1: without a known key every call is a 401 that requests a bearer token")
    func unauthorized() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            let headers = [
                "", "Bearer", "Bearer ", "Bearer unknown", "Basic \(TestServer.rootKey)", TestServer.rootKey,
                "Bearer \(key)x", "Bearer \(TestServer.rootKey.dropLast())",
            ]
            let before = try await server.contents()
            for call in Self.calls + [(.post, "/apps", #"{"code":"b","name":"B"}"#, "admin")] {
                for header in headers {
                    let response = try await server.call(
                        call.method, "/api/v1\(call.path)", call.body, headers: ["Authorization": header]
                    )
                    try expectError(response, .unauthorized, "unauthorized", target: "Authorization")
                    #expect(response.header("WWW-Authenticate") == "Bearer")
                }
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-1: the scheme's name is case-insensitive")
    func scheme() async throws {
        try await TestServer.run { server in
            let headers = ["Authorization": "bearer  \(TestServer.rootKey)"]
            let response = try await server.call(.get, "/api/v1/apps", headers: headers)
            #expect(response.status == .ok)
        }
    }

    @Test("ADM-1: a key may do what its scope and the narrower ones allow, and nothing else")
    func scopes() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let scopes = ["read", "campaign", "admin"]
            for (rank, scope) in scopes.enumerated() {
                let key = try await server.makeKey([scope])
                for call in Self.calls {
                    let before = try await server.contents()
                    let response = try await server.admin(call.method, call.path, call.body, key: key)
                    if scopes[...rank].contains(call.scope) {
                        #expect(response.status != .forbidden, "\(call) with \(scope)")
                    } else {
                        try expectError(response, .forbidden, "forbidden", "\(call) with \(scope)")
                        #expect(try await server.contents() == before)
                    }
                }
            }
        }
    }

    @Test("ADM-1: an app's key reaches only its own app, and creates none")
    func appKeys() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let other = try await server.makeApp("other")
            let before = try await server.contents()
            for call in Self.calls.dropFirst() {
                let response = try await server.admin(call.method, call.path, call.body, key: other)
                try expectError(response, .forbidden, "forbidden", "\(call)")
            }
            let made = try await server.admin(.post, "/apps", #"{"code":"b","name":"B"}"#, key: other)
            try expectError(made, .forbidden, "forbidden")
            #expect(try await server.contents() == before)
            let list = try await server.admin(.get, "/apps", key: other).json(AppListResponse.self)
            #expect(list.apps.map(\.code) == ["other"])
        }
    }

    @Test("ADM-1: an unknown app is a 404")
    func unknownApp() async throws {
        try await TestServer.run { server in
            for call in Self.calls.dropFirst() {
                let path = call.path.replacing("/shop/", with: "/nobody/")
                let response = try await server.admin(call.method, path, call.body)
                try expectError(response, .notFound, "unknownApp", target: "app", "\(path)")
            }
        }
    }

    @Test("ADM-1, SEC-3: of a key only its hash is stored")
    func hashes() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            let contents = try await server.contents().joined()
            #expect(!contents.contains(key))
            #expect(!contents.contains(TestServer.rootKey))
        }
    }

    @Test("ADM-1: a read is in the audit log, as GET and as HEAD")
    func reads() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for method in [HTTPRequest.Method.get, .head] {
                _ = try await server.admin(method, "/apps/shop/settings")
            }
            let entries = try await server.database.read { try $0.audit.newest(2) }
            #expect(entries.map(\.action) == ["read", "read"])
            #expect(entries.allSatisfy { $0.app == "shop" && $0.target?.hasSuffix("/settings") == true })
        }
    }

    @Test("ADM-1: every write is in the audit log, with who, what and on what; a refused one is not")
    func audit() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#, key: key)
            _ = try await server.admin(.put, "/apps/shop/attributes/platform", #"{"type":"string"}"#, key: key)
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body(), key: key)
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.draft, key: key)
            _ = try await server.admin(.put, "/apps/shop/campaigns/1", Self.draft)
            for step in ["launch", "pause", "resume", "cancel"] {
                _ = try await server.admin(.post, "/apps/shop/campaigns/1/\(step)", key: key)
            }
            let entries = try await server.database.read { try $0.audit.newest(100) }.reversed()
            #expect(
                entries.map { "\($0.actor) \($0.action) \($0.app ?? "") \($0.target ?? "")" } == [
                    "root app.create shop ", "key-1 attribute.define shop city", "key-1 credentials.put shop apns",
                    "key-1 campaign.create shop 1", "root campaign.update shop 1", "key-1 campaign.launch shop 1",
                    "key-1 campaign.pause shop 1", "key-1 campaign.resume shop 1", "key-1 campaign.cancel shop 1",
                ]
            )
        }
    }
}
