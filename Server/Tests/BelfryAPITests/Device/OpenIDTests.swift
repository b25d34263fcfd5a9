import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Contacts that OpenID tokens prove")
struct OpenIDTests {
    private let provider: IdentityProvider

    init() throws {
        provider = try IdentityProvider()
    }

    @Test("WIRE-2, ID-3: a token links to the contact of its claim; repeated, it changes no contact")
    func links() async throws {
        try await TestServer.run { server in
            try await makeApp(server)
            var device = TestDevice(server)
            try await device.start()
            let first = try await link(&device, for: "anna")
            #expect(first.status == .ok)
            #expect(try first.json(ContactLinkResponse.self).contactToken.split(separator: ".").count == 3)
            #expect(try await device.contactKey() == "anna")
            let contacts = try await server.contents().filter { $0.hasPrefix("contacts:") }
            server.clock.advance(by: 30)
            #expect(try await link(&device, for: "anna").status == .ok)
            #expect(try await server.contents().filter { $0.hasPrefix("contacts:") } == contacts)
            let put = try await device.call(.put, "/client/push-token", #"{"pushToken":"aa"}"#)
            #expect(put.status == .noContent)
            #expect(try await link(&device, for: "bert").status == .ok)
            #expect(try await device.contactKey() == "bert")
        }
    }

    @Test("WIRE-2, ID-3: a bad token is a 403, never a 401, changes nothing and leaves the device its tokens")
    func badTokens() async throws {
        try await TestServer.run { server in
            try await makeApp(server)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let now = server.clock.now
            let good = try provider.token(for: "bert", now: now)
            let tokens = [
                "", "eyJh", String(good.dropLast()), "\(good)=", String(repeating: "x", count: 10_000),
                try provider.token(for: "bert", now: now.addingTimeInterval(-661)),
                try provider.token(for: "bert", now: now.addingTimeInterval(61)),
                try provider.token(for: "bert", now: now, ["iss": #""https://evil.example""#]),
                try provider.token(for: "bert", now: now, ["aud": #""other-app""#]),
                try provider.token(for: "bert", now: now, ["exp": nil]),
                try provider.token(for: "bert", now: now, ["sub": "true"]), try provider.token(for: " ", now: now),
            ]
            let before = try await server.contents()
            for token in tokens {
                for others in ["", #","contactFieldValue":"bert""#] {
                    let body = #"{"openIdToken":"\#(token)"\#(others)}"#
                    let response = try await device.call(.post, "/client/contact", body)
                    try expectError(response, .forbidden, "openIDTokenInvalid", target: "openIdToken", "\(token)")
                    let message = try response.json(ErrorBody.self).error.message
                    #expect(token.isEmpty || !message.contains(token))
                }
            }
            #expect(try await server.contents() == before)
            let put = try await device.call(.put, "/client/push-token", #"{"pushToken":"aa"}"#)
            #expect(put.status == .noContent)
        }
    }

    @Test("ID-3: in verified mode a plain key links nobody, while tokens and anonymous links do")
    func verified() async throws {
        try await TestServer.run { server in
            try await makeApp(server, #","identity":"verified""#)
            var device = TestDevice(server)
            try await device.start()
            let anonymous = try await device.contactKey()
            for body in [#"{"contactFieldValue":"anna"}"#, #"{"contactFieldId":3,"contactFieldValue":"anna"}"#] {
                let response = try await device.call(.post, "/client/contact", body)
                try expectError(response, .forbidden, "openIDRequired")
                #expect(try response.json(ErrorBody.self).error.message.contains("openIdToken"))
            }
            #expect(try await device.contactKey() == anonymous)
            #expect(try await device.call(.put, "/client/push-token", #"{"pushToken":"aa"}"#).status == .noContent)
            #expect(try await link(&device, for: "anna").status == .ok)
            // Not even the contact that was proven can be stated.
            let stated = try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            try expectError(stated, .forbidden, "openIDRequired")
            #expect(try await device.contactKey() == "anna")
            #expect(try await device.call(.post, "/client/contact?anonymous").status == .ok)
            #expect(try await device.contactKey()?.hasPrefix("anonymous:") == true)
        }
    }

    @Test("ID-3, WIRE-8: in verified mode the receipt says why a snapshot's contact key is ignored")
    func receipts() async throws {
        try await TestServer.run { server in
            try await makeApp(server, #","identity":"verified""#)
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let body = device.snapshot(revision: 1, registrationID: id, #","contactKey":"anna""#)
            try await device.call(.post, "/client/registration", body)
            _ = try await server.registrations.processWaiting()
            let receipt = try await device.call(.get, "/client/registration/\(id)").json(RegistrationReceipt.self)
            #expect(receipt.status == .partlyRejected)
            #expect(receipt.rejected.map(\.field) == ["contactKey"])
            #expect(receipt.rejected.map(\.reason) == ["notProven"])
            #expect(receipt.rejected.allSatisfy { !$0.message.isEmpty })
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna")
            #expect(contact.status == .notFound)
        }
    }

    @Test("ID-3: in open mode a token and a plain key both link, to the same contact")
    func open() async throws {
        try await TestServer.run { server in
            try await makeApp(server)
            var proven = TestDevice(server)
            try await proven.start()
            #expect(try await link(&proven, for: "anna").status == .ok)
            var stated = TestDevice(server)
            try await stated.start(contactKey: "anna")
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            #expect(Set(contact.devices) == [proven.id, stated.id])
        }
    }

    @Test("WIRE-2: with a token a contact field need not be named; one that is named must be listed")
    func contactFields() async throws {
        try await TestServer.run { server in
            try await makeApp(server, #","contactFields":[3]"#)
            var device = TestDevice(server)
            let token = try provider.token(for: "anna", now: server.clock.now)
            for (field, status) in [("", 200), (#""contactFieldId":3,"#, 200), (#""contactFieldId":"4","#, 403)] {
                let response = try await device.call(.post, "/client/contact", #"{\#(field)"openIdToken":"\#(token)"}"#)
                #expect(response.status.code == status, "\(field)")
                if status == 403 { try expectError(response, .forbidden, "contactFieldNotAllowed") }
            }
        }
    }

    @Test("SEC-3: no token reaches the log or the store, accepted or refused")
    func nothingKept() async throws {
        try await TestServer.run { server in
            try await makeApp(server)
            var device = TestDevice(server)
            var tokens: [String] = []
            for app in [IdentityProvider.audience, "other"] {
                let token = try provider.token(for: "anna", now: server.clock.now, ["aud": "\"\(app)\""])
                _ = try await device.call(.post, "/client/contact", #"{"openIdToken":"\#(token)"}"#)
                tokens += token.split(separator: ".").dropFirst().map(String.init)
            }
            let kept = try await server.contents().joined() + server.log.entries.map { "\($0)" }.joined()
            #expect(tokens.count == 4 && tokens.allSatisfy { !kept.contains($0) })
        }
    }

    /// Makes an app that trusts the provider; other settings as JSON members behind a comma.
    private func makeApp(_ server: TestServer, _ others: String = "") async throws {
        try await server.makeApp()
        let body = #"{"openID":\#(provider.settings())\#(others)}"#
        let response = try await server.admin(.put, SettingsTests.path, body)
        #expect(response.status == .ok)
    }

    private func link(_ device: inout TestDevice, for person: String) async throws -> APIResponse {
        let token = try provider.token(for: person, now: device.server.clock.now)
        return try await device.call(.post, "/client/contact", #"{"openIdToken":"\#(token)"}"#)
    }
}
