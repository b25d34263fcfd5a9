import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Devices, contacts and explanations over the admin API")
struct DirectoryTests {
    @Test(
        "ADM-2: a contact key may contain anything, percent-encoded",
        arguments: [
            ("a@example.com", "a@example.com"), ("a@example.com", "a%40example.com"), ("anna b", "anna%20b"),
            ("a/b", "a%2Fb"), ("50%", "50%25"), ("a+b", "a+b"), ("été", "%C3%A9t%C3%A9"), ("a?b#c", "a%3Fb%23c"),
        ]
    )
    func contactKeys(key: String, path: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: key)
            let response = try await server.admin(.get, "/apps/shop/contacts/\(path)")
            #expect(response.status == .ok)
            let contact = try response.json(ContactResponse.self)
            #expect(contact.contactKey == key && contact.known && contact.devices == [device.id])
        }
    }

    @Test("REG-20, REG-25, ADM-2: a device shows what was rejected of its newest processed registration, and why")
    func rejectedFields() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await server.device(device.id).registration == nil)
            let id = UUID().uuidString
            let flawed = device.snapshot(
                revision: 4, registrationID: id, #","attributes":{"shoe":42},"timeZone":"GMT+01:Z0""#
            )
            try await device.call(.post, "/client/registration", flawed)
            #expect(try await server.device(device.id).registration == nil)
            #expect(try await server.registrations.processWaiting() == 1)
            let shown = try #require(try await server.device(device.id).registration)
            #expect(shown.revision == 4 && shown.status == .partlyRejected)
            #expect(shown.processedAt == Timestamp.text(server.clock.now))
            #expect(shown.rejected.map(\.field) == ["timeZone", "attributes.shoe"])
            let receipt = try await device.call(.get, "/client/registration/\(id)").json(RegistrationReceipt.self)
            #expect(shown.rejected == receipt.rejected)

            // A late older one changes nothing, and so says nothing here.
            let older = device.snapshot(revision: 3)
            try await device.call(.post, "/client/registration", older)
            #expect(try await server.registrations.processWaiting() == 1)
            #expect(try await server.device(device.id).registration == shown)
            server.clock.advance(by: 60)
            let newer = device.snapshot(revision: 5)
            try await device.call(.post, "/client/registration", newer)
            #expect(try await server.registrations.processWaiting() == 1)
            let mended = try #require(try await server.device(device.id).registration)
            #expect(mended.revision == 5 && mended.status == .processed && mended.rejected.isEmpty)
            #expect(mended.processedAt == Timestamp.text(server.clock.now))
        }
    }

    @Test("REG-1, ID-9, ADM-2: a contact shows the party identifier that its device registered, and none before")
    func partyIdentifier() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let path = "/apps/shop/contacts/anna"
            let before = try await server.admin(.get, path).json(ContactResponse.self)
            #expect(before.partyIdentifier == nil)
            let party = #"{"type":"email","name":"primary","number":" a@example.com "}"#
            let first = device.snapshot(revision: 1, #","partyIdentifier":\#(party)"#)
            try await device.call(.post, "/client/registration", first)
            let second = device.snapshot(revision: 2)
            try await device.call(.post, "/client/registration", second)
            #expect(try await server.registrations.processWaiting() == 2)
            let after = try await server.admin(.get, path).json(ContactResponse.self)
            let expected = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
            #expect(after.partyIdentifier == expected)
        }
    }

    @Test("ADM-2: an unknown item is a 404 that names it")
    func notFound() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            var device = TestDevice(server, app: "other")
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            let cases = [
                ("devices/\(device.id)", "device"), ("devices/x", "device"), ("devices/x/events", "device"),
                ("contacts/anna", "contact"), ("explain?campaign=1&device=\(device.id)", "device"),
                ("explain?campaign=9&device=\(device.id)", "campaign"), ("explain?campaign=x&device=x", "campaign"),
            ]
            for (path, what) in cases {
                let response = try await server.admin(.get, "/apps/shop/\(path)")
                try expectError(response, .notFound, "notFound", target: what, "\(path)")
            }
            for (query, target) in [("", "campaign"), ("?campaign=1", "device"), ("?device=x", "campaign")] {
                let response = try await server.admin(.get, "/apps/shop/explain\(query)")
                try expectError(response, .badRequest, "missing", target: target)
            }
        }
    }

    @Test("ADM-2, ADM-3: a device's events come newest first, in pages of up to 1,000")
    func events() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let start = server.clock.now
            let events = (0..<120).map { index in
                let at = Timestamp.text(start.addingTimeInterval(Double(index / 2)))
                return #"{"id":"e\#(index)","type":"custom","name":"n","timestamp":"\#(at)"}"#
            }
            try await device.track(events.joined(separator: ","))
            let path = "/apps/shop/devices/\(device.id)/events"
            let first = try await server.admin(.get, path).json(DeviceEventsResponse.self)
            #expect(first.events.count == 100)
            let cursor = try #require(first.cursor?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let second = try await server.admin(.get, "\(path)?limit=1000&cursor=\(cursor)")
                .json(DeviceEventsResponse.self)
            #expect(second.cursor == nil)
            let ids = (first.events + second.events).map(\.id)
            #expect(ids == (0..<120).reversed().map { "e\($0)" })
            for query in ["limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=x", "cursor=x", "cursor=1"] {
                let response = try await server.admin(.get, "\(path)?\(query)")
                #expect(response.status == .badRequest)
                #expect(try response.json(ErrorBody.self).error.target == String(query.prefix { $0 != "=" }))
            }
        }
    }

    @Test("ADM-2, LED-2: the API explains why a device did not get a campaign")
    func explain() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            let response = try await server.admin(.get, "/apps/shop/explain?campaign=1&device=\(device.id)")
            let explanation = try response.json(ExplainResponse.self)
            #expect(explanation.state == "notInAudience")
            #expect(explanation.sentence.contains("not been launched"))
            #expect(explanation.history.isEmpty)
        }
    }
}
