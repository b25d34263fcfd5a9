import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Settings that are refused")
struct BadSettingsTests {
    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[\((0..<count).map { "\"\(element($0))\"" }.joined(separator: ","))]"
    }

    /// Bodies that are refused, with the status and the target. None changes anything, so one server takes them all.
    private static let wrong: [(String, Int, String?)] = [
        (#"{"maxBadgeCount":0}"#, 422, "maxBadgeCount"), (#"{"maxBadgeCount":10000}"#, 422, "maxBadgeCount"),
        (#"{"maxBadgeCount":-1}"#, 422, "maxBadgeCount"), (#"{"maxBadgeCount":1.5}"#, 400, "maxBadgeCount"),
        (#"{"maxBadgeCount":"9"}"#, 400, "maxBadgeCount"),
        (#"{"eventRetentionDays":0}"#, 422, "eventRetentionDays"),
        (#"{"eventRetentionDays":3651}"#, 422, "eventRetentionDays"),
        (#"{"deliveryRetentionDays":59}"#, 422, "deliveryRetentionDays"),
        (#"{"deliveryRetentionDays":3651}"#, 422, "deliveryRetentionDays"),
        (#"{"deliveryRetentionDays":"60"}"#, 400, "deliveryRetentionDays"),
        (#"{"dormantAfterDays":29}"#, 422, "dormantAfterDays"),
        (#"{"dormantAfterDays":3651}"#, 422, "dormantAfterDays"),
        (#"{"dormantAfterDays":"400"}"#, 400, "dormantAfterDays"),
        (#"{"anonymousContacts":"no"}"#, 400, "anonymousContacts"), (#"{"identity":"closed"}"#, 400, "identity"),
        (#"{"inAppScripts":"yes"}"#, 400, "inAppScripts"), (#"{"inAppScripts":1}"#, 400, "inAppScripts"),
        (#"{"identity":true}"#, 400, "identity"), (#"{"timeZone":"Mars/Olympus"}"#, 422, "timeZone"),
        (#"{"timeZone":"GMT+01:Z0"}"#, 422, "timeZone"), (#"{"timeZone":"GMT/+01:Z0"}"#, 422, "timeZone"),
        (#"{"timeZone":"../Europe/Paris"}"#, 422, "timeZone"), (#"{"timeZone":"UTC\u0301"}"#, 422, "timeZone"),
        (#"{"timeZone":""}"#, 422, "timeZone"), (#"{"timeZone":"GMT+2"}"#, 422, "timeZone"),
        (#"{"timeZone":"PST"}"#, 422, "timeZone"), (#"{"timeZone":2}"#, 400, "timeZone"),
        (#"{"contactFields":[]}"#, 422, "contactFields"), (#"{"contactFields":"3"}"#, 400, "contactFields"),
        (#"{"contactFields":["3"," "]}"#, 422, "contactFields[1]"),
        (#"{"contactFields":\#(list(1) { _ in String(repeating: "f", count: 65) })}"#, 422, "contactFields[0]"),
        (#"{"contactFields":\#(list(51) { "f\($0)" })}"#, 422, "contactFields"),
        (#"{"contactFields":[1.5]}"#, 400, "contactFields[0]"),
        (#"{"allowedOrigins":["https://a.example","*"]}"#, 422, "allowedOrigins[1]"),
        (#"{"allowedOrigins":\#(list(101) { "https://a\($0).example" })}"#, 422, "allowedOrigins"),
        (#"{"openID":{}}"#, 400, "openID.issuer"), (#"{"openID":"x"}"#, 400, "openID"),
        (#"{"openID":{"issuer":"i","audience":"a","jwks":{}}}"#, 400, "openID.jwks.keys"),
        (#"{"openID":{"issuer":"i","audience":"a","jwks":{"keys":[{}]}}}"#, 400, "openID.jwks.keys[0].kty"),
        (#"{"openID":{"issuer":"i","audience":"a","jwks":{"keys":[]}}}"#, 422, "openID.jwks.keys"),
        ("[]", 400, nil), (#""open""#, 400, nil), ("{", 400, nil), ("", 400, nil),
    ]

    @Test("ADM-2, ADM-3: a wrong setting is refused by name, and nothing changes")
    func wrongValues() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            for (body, status, target) in Self.wrong {
                let response = try await server.admin(.put, SettingsTests.path, body)
                #expect(response.status.code == status, "\(body)")
                let error = try response.json(ErrorBody.self).error
                #expect(error.target == target && !error.message.isEmpty, "\(body)")
                if body.contains("closed") { #expect(error.message.contains("open, verified")) }
                #expect(try await server.contents() == before, "\(body)")
            }
        }
    }

    @Test("ADM-3: every error of a change is reported, and its valid parts change nothing")
    func allFaults() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let openID = try IdentityProvider().settings(["issuer": #"" ""#, "claim": #""""#])
            let body = """
                {"anonymousContacts":false,"maxBadgeCount":0,"timeZone":"Nowhere","contactFields":["","3"],
                "allowedOrigins":["null","https://a.example/"],"openID":\(openID)}
                """
            let answer = try await server.admin(.put, SettingsTests.path, body)
            #expect(answer.status == .unprocessableContent)
            let error = try answer.json(ErrorBody.self)
            let targets = ([error.error] + (error.details ?? [])).map(\.target)
            let expected = [
                "allowedOrigins[0]", "allowedOrigins[1]", "contactFields[0]", "maxBadgeCount", "openID.claim",
                "openID.issuer", "timeZone",
            ]
            #expect(targets.compactMap(\.self).sorted() == expected)
            #expect(try await server.contents() == before)
        }
    }

    @Test(
        "ADM-2: an unknown setting is reported with the nearest one, even if it is null",
        arguments: [
            (#"{"timezone":"UTC"}"#, "timezone", "timeZone"), (#"{"timezone":null}"#, "timezone", "timeZone"),
            (#"{"openId":null}"#, "openId", "openID"), (#"{"maxBadge":5,"identity":"open"}"#, "maxBadge", nil),
            (#"{"openID":{"isuer":"i","audience":"a","jwks":{"keys":[]}}}"#, "openID.isuer", "issuer"),
            (#"{"allowedOrigin":[]}"#, "allowedOrigin", "allowedOrigins"), (#"{"colour":"red"}"#, "colour", nil),
        ] as [(String, String, String?)]
    )
    func unknownKeys(body: String, target: String, nearest: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let answer = try await server.admin(.put, SettingsTests.path, body)
            try expectError(answer, .unprocessableContent, "notSupported", target: target)
            let message = try answer.json(ErrorBody.self).error.message
            #expect(nearest.map { message.contains("'\($0)'") } ?? message.contains("timeZone"))
            #expect(try await server.contents() == before)
        }
    }

    @Test("ID-3, SEC-3: a private key is refused, and neither stored, nor returned, nor logged")
    func privateKey() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let provider = try IdentityProvider()
            let secret = "TheSecretOfTheProvider"
            let key = provider.publicKey.replacing("{", with: #"{"d":"\#(secret)","#)
            let keys = #"{"keys":[\#(provider.publicKey),\#(key)]}"#
            let answer = try await server.admin(
                .put, SettingsTests.path, #"{"openID":\#(provider.settings(["jwks": keys]))}"#
            )
            try expectError(answer, .unprocessableContent, "privateKey", target: "openID.jwks.keys[1]")
            #expect(!answer.text.contains(secret))
            let kept = try await server.contents().joined() + server.log.entries.map { "\($0)" }.joined()
            #expect(!kept.contains(secret) && !kept.contains(IdentityProvider.issuer))
        }
    }

    @Test("ID-3: of a provider's key set only the verification keys are kept")
    func unusableKeys() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let provider = try IdentityProvider()
            let others = #"{"kty":"OKP","crv":"Ed25519","x":"AA"},{"kty":"RSA","use":"enc","n":"AA","e":"AQAB"}"#
            let keys = #"{"keys":[\#(others),\#(provider.publicKey)],"more":1}"#
            let body = #"{"openID":\#(provider.settings(["jwks": keys]))}"#
            let answer = try await server.admin(.put, SettingsTests.path, body)
            #expect(try answer.json(AppSettingsResponse.self).openID?.jwks.keys.map(\.kid) == ["k1"])
        }
    }
}
