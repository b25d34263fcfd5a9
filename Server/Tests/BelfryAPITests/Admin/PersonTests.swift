import BelfryAPI
import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("People over the admin API")
struct PersonTests {
    @Test("ADM-4: an export is one JSON document of all that is known; an unknown contact is a 404 without one")
    func export() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "ann")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#)
            try await device.call(
                .post, "/client/events",
                #"{"events":[{"id":"e1","name":"purchase","type":"custom","timestamp":"2026-11-21T12:00:00Z","attributes":{"sku":"\u0001\"42"}}]}"#
            )
            try await server.keep(TestMessage(at: server.clock.now, html: "<p>Hi</p>"), for: device)
            let response = try await server.admin(.get, "/apps/shop/contacts/ann/export")
            #expect(response.status == .ok && response.header("Content-Type") == "application/json")
            let document = try JSONValue(json: response.text)
            #expect(document["contact"]?["contactKey"] == .string("ann"))
            #expect(document["devices"]?.elements.map { $0["pushToken"] } == [.string("0123456789abcdef")])
            #expect(document["events"]?.elements.map { $0["attributes"]?["sku"] } == [.string("\u{1}\"42")])
            #expect(document["messages"]?.elements.map { $0["richHtml"] } == [.string("<p>Hi</p>")])
            #expect(document["messages"]?.elements.first?["content"]?["subject"] != nil)
            let head = try await server.admin(.head, "/apps/shop/contacts/ann/export")
            #expect(head.status == .ok && head.body.readableBytes == 0)
            let unknown = try await server.admin(.get, "/apps/shop/contacts/nobody/export")
            try expectError(unknown, .notFound, "notFound", target: "contact")
        }
    }

    @Test(
        "ADM-5: a rename and a merge answer with the key that remains, name the wrong field, and leave no key in the log"
    )
    func keys() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for key in ["ann", "anna", "bert"] {
                var device = TestDevice(server)
                try await device.start(contactKey: key)
            }
            func call(_ path: String, _ body: String) async throws -> APIResponse {
                try await server.admin(.post, "/apps/shop/contacts/\(path)", body)
            }
            for _ in 0..<2 {
                let renamed = try await call("bert/rename", #"{"to":"Bertram"}"#)
                #expect(try renamed.json(ContactKeyResponse.self) == ContactKeyResponse(contactKey: "Bertram"))
            }
            #expect(
                try await call("ann/merge", #"{"into":"anna"}"#).json(ContactKeyResponse.self)
                    == ContactKeyResponse(contactKey: "anna", devices: 1)
            )
            #expect(
                try await call("ann/merge", #"{"into":"anna"}"#).json(ContactKeyResponse.self)
                    == ContactKeyResponse(contactKey: "anna", devices: 0)
            )
            let contact = try await server.admin(.get, "/apps/shop/contacts/ann").json(ContactResponse.self)
            #expect(contact.contactKey == "anna" && contact.aliases == ["ann"] && contact.deviceCount == 2)
            try expectError(
                try await call("anna/rename", #"{"to":""}"#), .unprocessableContent, "blank", target: "to")
            try expectError(
                try await call("anna/merge", #"{"into":"anna"}"#), .unprocessableContent, "sameContact", target: "into"
            )
            try expectError(try await call("anna/rename", #"{"to":"bert"}"#), .conflict, "conflict")
            try expectError(try await call("anna/merge", "{}"), .badRequest, "invalidBody", target: "into")
            try expectError(
                try await call("nobody/merge", #"{"into":"anna"}"#), .notFound, "notFound", target: "contact"
            )
            // PostgreSQL takes no text with it, not even to compare.
            try expectError(
                try await call("anna/merge", #"{"into":"b\u0000b"}"#), .notFound, "notFound", target: "contact"
            )
            let log = try await server.admin(.get, "/audit").text
            #expect(log.contains("contact.merge") && log.contains("contact.rename"))
            for key in ["anna", "ertram"] { #expect(!log.contains(key), "\(key)") }
        }
    }

    @Test("ADM-4: a receipt is in the answer to an erasure, in a list, and is read by its name")
    func receipts() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "ann")
            let erased = try await server.admin(.post, "/apps/shop/contacts/ann/erase").json(
                ContactErasureResponse.self)
            #expect(erased.contactKey == "ann" && erased.devices == 1)
            let response = try await server.admin(.get, "/apps/shop/erasures/\(erased.receipt)")
            let receipt = try response.json(ErasureResponse.self)
            #expect(receipt.devices == 1 && receipt.endedAt != nil && !response.text.contains("ann"))
            let list = try await server.admin(.get, "/apps/shop/erasures?limit=1").json(ErasureListResponse.self)
            #expect(list == ErasureListResponse(erasures: [receipt]))
            let unknown = try await server.admin(.get, "/apps/shop/erasures/none")
            try expectError(unknown, .notFound, "notFound", target: "receipt")
        }
    }

    @Test(
        "ADM-7: devices are listed page by page and found by contact, push token and id; contacts by the prefix of a key"
    )
    func lists() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var ids: [String] = []
            for number in 1...5 {
                var device = TestDevice(server)
                try await device.start(contactKey: "person \(number % 2)")
                try await device.call(.put, "/client/push-token", #"{"pushToken":"ABCDEF0\#(number)"}"#)
                ids.insert(device.id, at: 0)
            }
            func devices(_ query: String) async throws -> DeviceListResponse {
                try await server.admin(.get, "/apps/shop/devices\(query)").json(DeviceListResponse.self)
            }
            var found: [String] = []
            var cursor: String?
            repeat {
                let page = try await devices("?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                found += page.devices.map(\.deviceId)
                cursor = page.cursor
            } while cursor != nil
            #expect(found == ids)
            #expect(try await devices("?contact=person%201").devices.map(\.deviceId) == [ids[0], ids[2], ids[4]])
            #expect(try await devices("?pushToken=ABCDEF02").devices.map(\.deviceId) == [ids[3]])
            #expect(try await devices("?clientId=\(ids[1].uppercased())").devices.map(\.contactKey) == ["person 0"])
            #expect(try await devices("?clientId=nonsense").devices == [])
            let both = try await server.admin(.get, "/apps/shop/devices?clientId=x&contact=y")
            try expectError(both, .badRequest, "badRequest", target: "clientId")
            let nobody = try await server.admin(.get, "/apps/shop/devices?contact=nobody")
            try expectError(nobody, .notFound, "notFound", target: "contact")
            func contacts(_ query: String) async throws -> ContactListResponse {
                try await server.admin(.get, "/apps/shop/contacts\(query)").json(ContactListResponse.self)
            }
            let first = try await contacts("?prefix=pers&limit=1")
            #expect(first.contacts.map(\.contactKey) == ["person 0"])
            let second = try await contacts("?prefix=pers&limit=1&cursor=\(first.cursor ?? "")")
            #expect(second.contacts.map(\.contactKey) == ["person 1"] && second.cursor == nil)
            #expect(try await contacts("?prefix=x").contacts == [])
            let bad = try await server.admin(.get, "/apps/shop/contacts?prefix=p&cursor=%25")
            try expectError(bad, .badRequest, "invalidCursor", target: "cursor")
            let mixed = try await server.admin(.get, "/apps/shop/contacts?prefix=p&orphaned=true")
            try expectError(mixed, .badRequest, "badRequest", target: "prefix")
        }
    }

    @Test("ADM-7, ADM-1: the audit log is paged; the key of an app sees its app's entries and no other's")
    func audit() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            try await server.makeApp("other")
            for _ in 0..<5 { _ = try await server.admin(.get, "/apps/shop/settings", key: key) }
            let whole = try await server.admin(.get, "/audit?limit=1000").json(AuditListResponse.self)
            #expect(whole.cursor == nil && whole.entries.count == 7)
            #expect(whole.entries.last?.action == "app.create")
            let page = try await server.admin(.get, "/audit?limit=3", key: key).json(AuditListResponse.self)
            #expect(page.entries.count == 3 && page.entries.allSatisfy { $0.app == "shop" && $0.actor == "key-1" })
            let rest = try await server.admin(.get, "/audit?limit=99&cursor=\(page.cursor ?? "")", key: key)
                .json(AuditListResponse.self)
            #expect(rest.entries.map(\.action) == ["read", "read", "app.create"])
            try expectError(
                try await server.admin(.get, "/audit?app=other", key: key), .forbidden, "forbidden"
            )
            try expectError(
                try await server.admin(.get, "/audit?app=nobody"), .notFound, "unknownApp", target: "app"
            )
        }
    }

    @Test("LED-5: an explanation for a contact has every device; it needs exactly one of device and contact")
    func explanation() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "ann b")
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            let response = try await server.admin(.get, "/apps/shop/explain?campaign=1&contact=ann%20b")
            let answer = try response.json(ExplainResponse.self)
            #expect(answer.contactKey == "ann b" && answer.devices?.map(\.deviceId) == [device.id])
            #expect(answer.deviceCount == 1 && answer.state == "notInAudience" && answer.history == [])
            #expect(answer.devices?[0].sentence == answer.sentence)
            for (query, target) in [
                ("campaign=1", "device"), ("device=x", "campaign"), ("campaign=1&device=x&contact=y", "contact"),
            ] {
                let rejected = try await server.admin(.get, "/apps/shop/explain?\(query)")
                #expect(rejected.status == .badRequest && rejected.text.contains("\"target\":\"\(target)\""))
            }
        }
    }
}
