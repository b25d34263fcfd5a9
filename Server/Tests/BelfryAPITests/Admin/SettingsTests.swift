import BelfryAPI
import BelfryModel
import BelfryStore
import Foundation
import Hummingbird
import Testing

@Suite("Settings of an app")
struct SettingsTests {
    static let path = "/apps/shop/settings"

    /// Bodies, and what each makes of the members of the response; a nil leaves one out.
    private static let steps: [(String, [String: String?])] = [
        (
            #"{"maxBadgeCount":9999,"timeZone":"Europe/Paris"}"#,
            ["maxBadgeCount": "9999", "timeZone": #""Europe/Paris""#]
        ),
        (#"{"contactFields":[3," email ","3"]}"#, ["contactFields": #"["3","email"]"#]),
        (
            #"{"anonymousContacts":false,"eventRetentionDays":1}"#,
            ["anonymousContacts": "false", "eventRetentionDays": "1"]
        ),
        (
            #"{"allowedOrigins":["HTTPS://A.Example.com:443","http://localhost:80","https://a.example.com"]}"#,
            ["allowedOrigins": #"["https://a.example.com","http://localhost"]"#]
        ),
        ("{}", [:]),
        (#"{"timeZone":null,"maxBadgeCount":1}"#, ["timeZone": #""UTC""#, "maxBadgeCount": "1"]),
        (
            #"{"contactFields":null,"anonymousContacts":null,"openID":null,"identity":null}"#,
            ["contactFields": nil, "anonymousContacts": "true"]
        ),
        (
            #"{"allowedOrigins":[],"eventRetentionDays":null}"#,
            ["allowedOrigins": "[]", "eventRetentionDays": nil]
        ),
        (#"{"inAppScripts":true}"#, ["inAppScripts": "true"]),
        (#"{"inAppScripts":null}"#, ["inAppScripts": "false"]),
        (#"{"requiresApproval":true}"#, ["requiresApproval": "true"]),
        (#"{"requiresApproval":null}"#, ["requiresApproval": "false"]),
        (#"{"deliveryRetentionDays":60}"#, ["deliveryRetentionDays": "60"]),
        (#"{"deliveryRetentionDays":null}"#, ["deliveryRetentionDays": nil]),
        (#"{"dormantAfterDays":30}"#, ["dormantAfterDays": "30"]),
        (#"{"dormantAfterDays":null}"#, ["dormantAfterDays": "400"]),
    ]

    @Test("ADM-2: a new app has the defaults")
    func defaults() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            let response = try await server.admin(.get, Self.path, key: key)
            #expect(response.status == .ok)
            let expected =
                #"{"allowedOrigins":[],"anonymousContacts":true,"dormantAfterDays":400,"identity":"open","#
                + #""inAppScripts":false,"maxBadgeCount":99,"requiresApproval":false,"timeZone":"UTC"}"#
            #expect(response.text == expected)
        }
    }

    @Test("ADM-2: a change keeps absent settings, a null resets, and the response has all settings")
    func merge() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var members: [String: String?] = [
                "identity": #""open""#, "anonymousContacts": "true", "allowedOrigins": "[]", "maxBadgeCount": "99",
                "timeZone": #""UTC""#, "inAppScripts": "false", "requiresApproval": "false",
                "dormantAfterDays": "400",
            ]
            for (body, changes) in Self.steps {
                members.merge(changes) { $1 }
                let response = try await server.admin(.put, Self.path, body)
                #expect(response.status == .ok, "\(body)")
                #expect(response.text == IdentityProvider.object(members), "\(body)")
                #expect(try await server.admin(.get, Self.path).text == response.text)
            }
        }
    }

    @Test("ADM-2, ID-3: verified identity and its provider are set together, or one after the other")
    func verified() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let provider = try IdentityProvider()
            let missing = try await server.admin(.put, Self.path, #"{"identity":"verified"}"#)
            try expectError(missing, .unprocessableContent, "openIDMissing", target: "identity")
            let both = #"{"identity":"verified","openID":\#(provider.settings(["claim": nil]))}"#
            let response = try await server.admin(.put, Self.path, both).json(AppSettingsResponse.self)
            #expect(
                response.identity == .verified && response.openID?.claim == "sub"
                    && response.openID?.jwks.keys.count == 1)
            let before = try await server.contents()
            let removed = try await server.admin(.put, Self.path, #"{"openID":null}"#)
            try expectError(removed, .unprocessableContent, "openIDMissing", target: "openID")
            #expect(try await server.contents() == before)
            for body in [#"{"identity":"open"}"#, #"{"identity":"verified"}"#, #"{"openID":null,"identity":null}"#] {
                #expect(try await server.admin(.put, Self.path, body).status == .ok)
            }
        }
    }

    @Test("ADM-2: a change is visible at once, and one by another process within a second")
    func atOnce() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            _ = try await server.admin(.put, Self.path, #"{"anonymousContacts":false}"#)
            let rejected = try await device.call(.post, "/client/contact?anonymous")
            try expectError(rejected, .forbidden, "anonymousContactsDisabled")
            try await server.changeSettings { $0.anonymousContacts = true }
            #expect(try await server.admin(.get, Self.path).json(AppSettingsResponse.self).anonymousContacts)
            server.clock.advance(by: 1.1)
            let linked = try await device.call(.post, "/client/contact?anonymous")
            #expect(linked.status == .ok)
        }
    }

    @Test("ADM-1: a change is in the audit log with the names of its settings; a refused one is not")
    func audit() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            let bodies = [#"{"timeZone":null,"maxBadgeCount":5}"#, #"{"maxBadgeCount":0}"#, #"{"badge":1}"#, "{}"]
            for body in bodies { _ = try await server.admin(.put, Self.path, body, key: key) }
            let entries = try await server.database.read { try $0.audit.newest(9) }
                .filter { $0.action == "settings.put" }
            #expect(entries.reversed().map(\.target) == ["maxBadgeCount timeZone", nil])
            #expect(entries.allSatisfy { $0.actor == "key-1" && $0.app == "shop" })
        }
    }
}
