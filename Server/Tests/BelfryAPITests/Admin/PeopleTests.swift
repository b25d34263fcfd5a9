import BelfryAPI
import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("The list of contacts, orphans and erasure over the admin API")
struct PeopleTests {
    private static func list(_ server: TestServer, _ query: String = "") async throws -> ContactListResponse {
        try await server.admin(.get, "/apps/shop/contacts\(query)").json(ContactListResponse.self)
    }

    private static func identify(_ device: inout TestDevice, _ key: String) async throws {
        try await device.call(.post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"\#(key)"}"#)
    }

    @Test("ADM-3, REG-24: contacts are listed newest first and page by page, all of them or the orphans")
    func lists() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for number in 1...5 {
                var device = TestDevice(server)
                try await device.start(contactKey: "key-\(number)")
                if number > 2 { try await Self.identify(&device, "key-1") }
            }
            var anonymous = TestDevice(server)
            try await anonymous.start()
            let all = try await Self.list(server).contacts
            #expect(all.dropFirst().map(\.contactKey) == (1...5).reversed().map { "key-\($0)" })
            #expect(all.map(\.known) == [false, true, true, true, true, true])
            #expect(all[0].contactKey.hasPrefix("anonymous:") && all[0].lastOpenedAt == nil)
            #expect(all[0].createdAt == Timestamp.text(server.clock.now))
            for query in ["orphaned=true", "orphaned", "orphaned=TRUE"] {
                let first = try await Self.list(server, "?\(query)&limit=2")
                #expect(first.contacts.map(\.contactKey) == ["key-5", "key-4"])
                let cursor = try #require(first.cursor)
                let second = try await Self.list(server, "?\(query)&limit=2&cursor=\(cursor)")
                #expect(second.contacts.map(\.contactKey) == ["key-3"])
                #expect(second.cursor == nil)
            }
            #expect(try await Self.list(server, "?orphaned=false").contacts == all)
            for query in ["orphaned=maybe", "limit=0", "limit=1001", "cursor=x"] {
                let response = try await server.admin(.get, "/apps/shop/contacts?\(query)")
                #expect(response.status == .badRequest)
                #expect(try response.json(ErrorBody.self).error.target == String(query.prefix { $0 != "=" }))
            }
        }
    }

    @Test("REG-24: an orphan is removed with 204; another contact is a 409 that says why, an unknown one a 404")
    func removal() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "a/b")
            let used = try await server.admin(.delete, "/apps/shop/contacts/a%2Fb")
            try expectError(used, .conflict, "conflict")
            #expect(try used.json(ErrorBody.self).error.message.contains("a device"))
            try await Self.identify(&device, "anna")
            let response = try await server.admin(.delete, "/apps/shop/contacts/a%2Fb")
            #expect(response.status == .noContent && response.text.isEmpty)
            for method in [HTTPRequest.Method.get, .delete] {
                let again = try await server.admin(method, "/apps/shop/contacts/a%2Fb")
                try expectError(again, .notFound, "notFound", target: "contact")
            }
            #expect(try await Self.list(server).contacts.map(\.contactKey) == ["anna"])
        }
    }

    @Test("SEC-6, REG-24: a byte order mark in an address is part of the key, and matches no other")
    func byteOrderMark() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            for method in [HTTPRequest.Method.get, .delete] {
                let response = try await server.admin(method, "/apps/shop/contacts/%EF%BB%BFanna")
                try expectError(response, .notFound, "notFound", target: "contact")
            }
            #expect(try await Self.list(server).contacts.map(\.contactKey) == ["anna"])
        }
    }

    @Test("REG-36, ADM-1: an erasure says what was removed, and the audit log has only a number of the person")
    func erasure() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var ids: [String] = []
            for _ in 0..<2 {
                var device = TestDevice(server)
                try await device.start(contactKey: "anna@example.com")
                try await device.track(EventTests.event("e1"))
                _ = try await server.admin(.post, "/apps/shop/devices/\(device.id)/revoke")
                try await device.start(contactKey: "anna@example.com")
                _ = try await server.admin(.get, "/apps/shop/devices/\(device.id)")
                ids.append(device.id)
            }
            let path = "/apps/shop/contacts/anna%40example.com"
            let response = try await server.admin(.post, "\(path)/erase")
            #expect(response.status == .ok)
            let erased = try response.json(ContactErasureResponse.self)
            #expect(erased.contactKey == "anna@example.com" && erased.devices == 2 && erased.events == 2)
            let again = try await server.admin(.post, "\(path)/erase")
            try expectError(again, .notFound, "notFound", target: "contact")
            let contents = try await server.contents()
            #expect(!contents.joined().contains("anna"))
            let named = contents.filter { line in ids.contains { line.lowercased().contains($0.lowercased()) } }
            #expect(named.count == 2 && named.allSatisfy { $0.hasPrefix("erased_devices: ") }, "\(named)")
            let entries = try await server.database.read { try $0.audit.newest(9) }
            let entry = try #require(entries.first { $0.action == "contact.erase" })
            #expect(entry.app == "shop" && entry.target.flatMap(Int64.init) != nil)
            let begun = try #require(entries.first { $0.action == "contact.erase.begin" })
            #expect(begun.app == "shop" && begun.target == entry.target)
        }
    }
}
