import BelfryAPI
import BelfryModel
import Foundation
import Hummingbird
import Testing

@Suite("Admin keys over the admin API")
struct AdminKeyTests {
    private static func make(
        _ server: TestServer, _ body: String, key: String = TestServer.rootKey
    ) async throws -> CreateAdminKeyResponse {
        let response = try await server.admin(.post, "/apps/shop/keys", body, key: key)
        #expect(response.status == .created, "\(response.text)")
        return try response.json(CreateAdminKeyResponse.self)
    }

    @Test("ADM-6: a key does what its scope allows, is listed without its secret, and is refused once it is revoked")
    func life() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            let made = try await Self.make(
                server, #"{"scope":"campaign","label":"Agency","expiresAt":"2036-01-01T00:00:00Z"}"#, key: own
            )
            #expect(made.label == "Agency" && made.expiresAt == "2036-01-01T00:00:00.000Z")
            #expect(try await server.admin(.get, "/apps/shop/campaigns", key: made.apiKey).status == .ok)
            let draft = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft, key: made.apiKey)
            #expect(draft.status == .created)
            let forbidden = try await server.admin(.get, "/apps/shop/keys", key: made.apiKey)
            try expectError(forbidden, .forbidden, "forbidden")
            let list = try await server.admin(.get, "/apps/shop/keys", key: own)
            #expect(!list.text.contains(made.apiKey) && !list.text.contains(own))
            let keys = try list.json(AdminKeyListResponse.self).keys
            #expect(keys.map(\.id) == [made.id, "key-1"] && keys.map(\.scope) == [.campaign, .admin])
            #expect(try await server.admin(.delete, "/apps/shop/keys/\(made.id)", key: own).status == .noContent)
            let rejected = try await server.admin(.get, "/apps/shop/campaigns", key: made.apiKey)
            try expectError(rejected, .unauthorized, "unauthorized", target: "Authorization")
            #expect(try await server.admin(.delete, "/apps/shop/keys/\(made.id)", key: own).status == .noContent)
            let entries = try await server.admin(.get, "/audit?app=shop").json(AuditListResponse.self).entries
            #expect(entries.filter { $0.action == "key.create" }.map(\.target) == [made.id])
            #expect(entries.filter { $0.action == "key.revoke" }.map(\.target) == [made.id, made.id])
            #expect(entries.contains { $0.action == "campaign.create" && $0.actor == made.id })
        }
    }

    @Test("ADM-6: bad input is refused by field, and nothing is made")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let bodies: [(String, HTTPResponse.Status, String)] = [
                ("{}", .badRequest, "scope"), (#"{"scope":"root"}"#, .badRequest, "scope"),
                (#"{"scope":"read","label":" "}"#, .unprocessableContent, "label"),
                (#"{"scope":"read","expiresAt":"soon"}"#, .badRequest, "expiresAt"),
                (#"{"scope":"read","expiresAt":"2020-01-01T00:00:00Z"}"#, .unprocessableContent, "expiresAt"),
                (#"{"scope":"read","expires":"2036-01-01T00:00:00Z"}"#, .unprocessableContent, "expires"),
            ]
            for (body, status, target) in bodies {
                let response = try await server.admin(.post, "/apps/shop/keys", body)
                #expect(response.status == status, "\(body): \(response.text)")
                #expect(response.text.contains("\"target\":\"\(target)\""), "\(body): \(response.text)")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-6: an answer that was lost is given again with the same secret, and makes no second key")
    func lost() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let headers = ["Authorization": "Bearer \(TestServer.rootKey)", "Idempotency-Key": "k1"]
            var secrets: Set<String> = []
            for _ in 0..<2 {
                let response = try await server.call(
                    .post, "/api/v1/apps/shop/keys", #"{"scope":"read"}"#, headers: headers
                )
                secrets.insert(try response.json(CreateAdminKeyResponse.self).apiKey)
            }
            #expect(secrets.count == 1)
            let keys = try await server.admin(.get, "/apps/shop/keys").json(AdminKeyListResponse.self).keys
            #expect(keys.count == 2)
        }
    }
}
