import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Registrations")
struct RegistrationTests {
    private static func receipt(_ id: String, of device: inout TestDevice) async throws -> RegistrationReceipt {
        try await device.call(.get, "/client/registration/\(id)").json(RegistrationReceipt.self)
    }

    @Test("WIRE-7, WIRE-8, REG-20: a snapshot is acknowledged as soon as it is stored, and processed later")
    func receivesAndProcesses() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let others = """
                ,"contactKey":"anna","pushToken":"0123456789abcdef","pushEnvironment":"sandbox","osPushEnabled":true,
                "attributes":{"city":"Paris","shoe":42},"tags":["sports"],"timeZone":"Europe/Paris","locale":"fr_FR",
                "platform":"ios","lastOpenedAt":"2026-11-21T12:00:00.000Z","unknown":{"x":[]}
                """
            let body = device.snapshot(revision: 12, registrationID: id, others)
            let response = try await device.call(.post, "/client/registration", body)
            #expect(response.status == .created)
            #expect(response.header("X-Client-State") != nil)
            let expected = RegistrationResponse(registrationId: id, revision: 12, status: .received)
            #expect(try response.json(RegistrationResponse.self) == expected)
            #expect(try await Self.receipt(id, of: &device).status == .received)
            #expect(try await device.contactKey() != "anna")

            #expect(try await server.registrations.processWaiting() == 1)
            let receipt = try await Self.receipt(id, of: &device)
            #expect(receipt.status == .partlyRejected)
            #expect(receipt.rejected.map(\.field) == ["attributes.shoe"])
            #expect(receipt.rejected.map(\.reason) == ["undefinedAttribute"])
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            #expect(contact.attributes == ["city": "Paris"])
            #expect(contact.tags == ["sports"])
            #expect(contact.devices == [device.id])
            let stored = try await server.device(device.id)
            #expect(stored.push.eligible)
            #expect(stored.pushEnvironment == .sandbox)
            #expect(stored.revision == 12)
            #expect(stored.lastOpenedAt == "2026-11-21T12:00:00.000Z")
        }
    }

    @Test("REG-25: an attribute that is a list or an object is rejected alone, the rest is applied; null is absent")
    func unreadableAttributes() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let others = #","contactKey":"anna","attributes":{"city":"Paris","age":[31],"born":{"y":1},"shoe":null}"#
            let body = device.snapshot(revision: 1, registrationID: id, others)
            #expect(try await device.call(.post, "/client/registration", body).status == .created)
            #expect(try await server.registrations.processWaiting() == 1)
            let receipt = try await Self.receipt(id, of: &device)
            #expect(receipt.status == .partlyRejected)
            #expect(receipt.rejected.map(\.field) == ["attributes.age", "attributes.born"])
            #expect(receipt.rejected.map(\.reason) == ["wrongType", "wrongType"])
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            #expect(contact.attributes == ["city": "Paris"])
        }
    }

    @Test("REG-21, WIRE-25: a repeated snapshot changes nothing, before and after it was processed")
    func repeats() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let body = device.snapshot(revision: 3, registrationID: id, #","tags":["a"]"#)
            try await device.call(.post, "/client/registration", body)
            let stored = try await server.contents()
            #expect(try await device.call(.post, "/client/registration", body).status == .created)
            #expect(try await server.contents() == stored)

            _ = try await server.registrations.processWaiting()
            let processed = try await server.contents()
            let response = try await device.call(.post, "/client/registration", body)
            #expect(try response.json(RegistrationResponse.self).status == .processed)
            #expect(try await server.registrations.processWaiting() == 0)
            #expect(try await server.contents() == processed)
        }
    }

    @Test("WIRE-25: a reused registration id with another snapshot is a 409, and nothing changes")
    func reusedID() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            try await device.call(.post, "/client/registration", device.snapshot(revision: 3, registrationID: id))
            for processed in [false, true] {
                if processed { _ = try await server.registrations.processWaiting() }
                let before = try await server.contents()
                for (revision, others) in [(4, ""), (3, #","tags":["a"]"#)] {
                    let body = device.snapshot(revision: revision, registrationID: id, others)
                    let response = try await device.call(.post, "/client/registration", body)
                    try expectError(response, .conflict, "registrationIdReused")
                }
                #expect(try await server.contents() == before)
            }
        }
    }

    @Test("REG-21: a late older snapshot never overwrites a newer one, and the 201 has the highest revision")
    func lateSnapshot() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let newer = device.snapshot(revision: 9, #","locale":"fr_FR""#)
            try await device.call(.post, "/client/registration", newer)
            _ = try await server.registrations.processWaiting()
            let id = UUID().uuidString
            let older = device.snapshot(revision: 8, registrationID: id, #","locale":"de_DE""#)
            let response = try await device.call(.post, "/client/registration", older)
            #expect(response.status == .created)
            let late = try response.json(RegistrationResponse.self)
            #expect(late.revision == 9 && late.status == .superseded)
            _ = try await server.registrations.processWaiting()
            #expect(try await Self.receipt(id, of: &device).status == .superseded)
            #expect(try await server.device(device.id).system.locale == "fr_FR")
        }
    }

    @Test("WIRE-8: a receipt is shown to its own device only; any other is a 404")
    func receipts() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            try await device.call(
                .post, "/client/registration", device.snapshot(revision: 1, registrationID: id))
            var other = TestDevice(server)
            try await other.start()
            let response = try await other.call(.get, "/client/registration/\(id)")
            try expectError(response, .notFound, "notFound", target: "registration")
            let unknown = try await device.call(.get, "/client/registration/\(UUID().uuidString)")
            try expectError(unknown, .notFound, "notFound", target: "registration")
        }
    }

    @Test("WIRE-7: an explicit null counts as absent, inside the attributes too")
    func nulls() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let first = device.snapshot(revision: 1, #","attributes":{"city":"Paris"}"#)
            try await device.call(.post, "/client/registration", first)
            let others = #","attributes":{"city":null},"tags":null,"pushToken":null,"locale":null,"contactKey":null"#
            let second = device.snapshot(revision: 2, others)
            #expect(try await device.call(.post, "/client/registration", second).status == .created)
            #expect(try await server.registrations.processWaiting() == 2)
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            #expect(contact.attributes == ["city": "Paris"])
            #expect(contact.devices == [device.id])
        }
    }
}
