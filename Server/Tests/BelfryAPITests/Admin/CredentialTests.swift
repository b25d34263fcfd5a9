import BelfryModel
import BelfryServerTestSupport
import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Credentials of push services")
struct CredentialTests {
    @Test("ADM-2, PUSH-2: a service account is taken as an object and as its text; secrets are never read back")
    func fcm() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let text = try JSONEncoder().encode(["serviceAccount": ServiceAccountFile.json()])
            for body in [Credentials.fcm(), String(decoding: text, as: UTF8.self)] {
                let answer = try await server.admin(.put, "/apps/shop/credentials/fcm", body)
                #expect(answer.status == .ok)
                #expect(
                    try answer.json(FCMCredentialsAnswer.self)
                        == FCMCredentialsAnswer(
                            projectId: ServiceAccountFile.projectID, clientEmail: ServiceAccountFile.clientEmail
                        )
                )
            }
            let secret = ServiceAccountFile.privateKey.components(separatedBy: "\n")[1]
            #expect(!(try await server.contents().joined().contains(secret)))
        }
    }

    @Test("ADM-2, PUSH-3: a key pair is answered with the public key that web pages subscribe with")
    func webPush() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let raw = Data(1...32).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            var answers: Set<WebPushCredentialsAnswer> = []
            for key in [try Credentials.privateKey(), raw, raw.replacing("=", with: "")] {
                let body = try Credentials.webPush(["privateKey": key])
                let answer = try await server.admin(.put, "/apps/shop/credentials/webpush", body)
                answers.insert(try answer.json(WebPushCredentialsAnswer.self))
            }
            #expect(answers.count == 1)
            #expect(answers.first?.publicKey.count == 87 && answers.first?.publicKey.hasPrefix("B") == true)
            #expect(answers.first?.subject == "mailto:ops@example.com")
        }
    }

    @Test("ADM-2, SEC-1: what is stored is listed for whoever may read, and removed by who may write")
    func list() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let path = "/apps/shop/credentials"
            #expect(try await server.admin(.get, path).text == "{}")
            try await Credentials.putAll(on: server)
            let reader = try await server.makeKey(["read"])
            let answer = try await server.admin(.get, path, key: reader)
            let list = try answer.json(CredentialListAnswer.self)
            #expect(list.apns?.facts?.topic == "com.example.app")
            #expect(list.fcm?.facts?.projectId == ServiceAccountFile.projectID)
            #expect(list.webpush?.facts?.subject == "mailto:ops@example.com")
            #expect(list.fcm?.updatedAt == Timestamp.text(server.clock.now))
            #expect(!answer.text.contains("PRIVATE"))
            #expect(try JSONValue(answer.text)["apns"]?["teamId"] == .string("TEAM123456"))

            for service in ["apns", "fcm", "webpush"] {
                #expect(try await server.admin(.delete, "\(path)/\(service)", key: reader).status == .forbidden)
                #expect(try await server.admin(.delete, "\(path)/\(service)").status == .noContent)
                try expectRefusal(
                    try await server.admin(.delete, "\(path)/\(service)"), .notFound, "notFound", target: "credentials"
                )
            }
            #expect(try await server.admin(.delete, "\(path)/owl").status == .notFound)
            #expect(try await server.admin(.get, path).text == "{}")
        }
    }

    @Test("ADM-1: who put and who removed credentials is in the audit log")
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
        "ADM-3, SEC-5: what is wrong with a service account is told by its fields, all at once",
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
            let answer = try await server.admin(.put, "/apps/shop/credentials/fcm", body)
            #expect(answer.status.code == status)
            let fault = try answer.json(ErrorBody.self)
            let named = ([fault.error] + (fault.details ?? [])).compactMap(\.target)
            #expect(targets == nil ? named.count == 5 : named == targets, "\(named)")
            #expect(try await server.contents() == before)
        }
    }

    @Test(
        "ADM-3: what is wrong with a key pair is told by its field",
        arguments: [
            ("subject", "ops@example.com", 422), ("privateKey", "AAAA", 422), ("trustRoots", "x", 422),
            ("subject", nil, 400), ("privateKey", nil, 400),
        ] as [(String, String?, Int)]
    )
    func badKeyPair(field: String, value: String?, status: Int) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let body = try Credentials.webPush([field: value])
            let answer = try await server.admin(.put, "/apps/shop/credentials/webpush", body)
            #expect(answer.status.code == status)
            #expect(try answer.json(ErrorBody.self).error.target == field)
        }
    }
}
