import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Credentials of push services")
struct CredentialTests {
    @Test("ADM-2, PUSH-2: a service account is accepted as an object and as text; secrets are never returned")
    func fcm() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let text = try JSONEncoder().encode(["serviceAccount": ServiceAccountFile.json()])
            for body in [Credentials.fcm(), String(decoding: text, as: UTF8.self)] {
                let response = try await server.admin(.put, "/apps/shop/credentials/fcm", body)
                #expect(response.status == .ok)
                #expect(
                    try response.json(FCMCredentialsResponse.self)
                        == FCMCredentialsResponse(
                            projectId: ServiceAccountFile.projectID, clientEmail: ServiceAccountFile.clientEmail
                        )
                )
            }
            let secret = ServiceAccountFile.privateKey.components(separatedBy: "\n")[1]
            #expect(!(try await server.contents().joined().contains(secret)))
        }
    }

    @Test("ADM-2, PUSH-3: the response to a key pair has the public key with which web pages subscribe")
    func webPush() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let raw = Data(1...32).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            var answers: Set<WebPushCredentialsResponse> = []
            for key in [try Credentials.privateKey(), raw, raw.replacing("=", with: "")] {
                let body = try Credentials.webPush(["privateKey": key])
                let response = try await server.admin(.put, "/apps/shop/credentials/webpush", body)
                answers.insert(try response.json(WebPushCredentialsResponse.self))
            }
            #expect(answers.count == 1)
            #expect(answers.first?.publicKey.count == 87 && answers.first?.publicKey.hasPrefix("B") == true)
            #expect(answers.first?.subject == "mailto:ops@example.com")
        }
    }

    @Test("ADM-2, SEC-1: stored credentials are listed with the scope read, and removed with the scope admin")
    func list() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let path = "/apps/shop/credentials"
            #expect(try await server.admin(.get, path).text == "{}")
            try await Credentials.putAll(on: server)
            let reader = try await server.makeKey(["read"])
            let response = try await server.admin(.get, path, key: reader)
            let list = try response.json(CredentialListResponse.self)
            #expect(list.apns?.facts?.topic == "com.example.app")
            #expect(list.fcm?.facts?.projectId == ServiceAccountFile.projectID)
            #expect(list.webpush?.facts?.subject == "mailto:ops@example.com")
            #expect(list.fcm?.updatedAt == Timestamp.text(server.clock.now))
            #expect(!response.text.contains("PRIVATE"))
            #expect(try JSONValue(json: response.text)["apns"]?["teamId"] == .string("TEAM123456"))

            for service in ["apns", "fcm", "webpush"] {
                #expect(try await server.admin(.delete, "\(path)/\(service)", key: reader).status == .forbidden)
                #expect(try await server.admin(.delete, "\(path)/\(service)").status == .noContent)
                try expectError(
                    try await server.admin(.delete, "\(path)/\(service)"), .notFound, "notFound", target: "credentials"
                )
            }
            #expect(try await server.admin(.delete, "\(path)/owl").status == .notFound)
            #expect(try await server.admin(.get, path).text == "{}")
        }
    }

    @Test("ADM-1: the audit log says who put and who removed credentials")
    func audit() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            _ = try await server.admin(.delete, "/apps/shop/credentials/fcm")
            let entries = try await server.database.read { connection in
                try connection.query("SELECT action, target FROM audit_log WHERE action LIKE 'credentials%'", []) {
                    "\($0.text(0)) \($0.text(1))"
                }
            }
            #expect(
                entries.sorted() == [
                    "credentials.put apns", "credentials.put fcm", "credentials.put webpush", "credentials.remove fcm",
                ]
            )
        }
    }

    @Test(
        "ADM-3, SEC-5: the errors of a service account are reported by field, all at once",
        arguments: [
            (#"{"serviceAccount":"no JSON"}"#, 422, ["serviceAccount"]),
            (#"{"serviceAccount":{}}"#, 422, nil),
            (#"{"serviceAccount":[]}"#, 400, ["serviceAccount"]),
            (#"{"serviceAccount":7}"#, 400, ["serviceAccount"]),
            ("{}", 400, ["serviceAccount"]),
            (
                Credentials.fcm(["private_key": nil, "token_uri": "https://10.0.0.1/"], others: #","endpoint":"x""#),
                422,
                ["serviceAccount.private_key", "endpoint", "serviceAccount.token_uri"]
            ),
        ] as [(String, Int, [String]?)]
    )
    func badServiceAccount(body: String, status: Int, targets: [String]?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let response = try await server.admin(.put, "/apps/shop/credentials/fcm", body)
            #expect(response.status.code == status)
            let fault = try response.json(ErrorBody.self)
            let named = ([fault.error] + (fault.details ?? [])).compactMap(\.target)
            #expect(targets == nil ? named.count == 5 : named == targets, "\(named)")
            #expect(try await server.contents() == before)
        }
    }

    @Test(
        "ADM-3: the errors of a key pair are reported by field",
        arguments: [
            ("subject", "ops@example.com", 422), ("privateKey", "AAAA", 422), ("trustRoots", "x", 422),
            ("subject", nil, 400), ("privateKey", nil, 400),
        ] as [(String, String?, Int)]
    )
    func badKeyPair(field: String, value: String?, status: Int) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let body = try Credentials.webPush([field: value])
            let response = try await server.admin(.put, "/apps/shop/credentials/webpush", body)
            #expect(response.status.code == status)
            #expect(try response.json(ErrorBody.self).error.target == field)
        }
    }
}
