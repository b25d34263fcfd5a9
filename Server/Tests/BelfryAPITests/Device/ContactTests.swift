import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Links to contacts")
struct ContactTests {
    @Test("WIRE-2: a link returns a token pair and a reference, and trims the contact key")
    func identify() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let body = #"{"contactFieldId":3,"contactFieldValue":"  anna@example.com ","unknown":[1]}"#
            let response = try await device.call(.post, "/client/contact", body)
            #expect(response.status == .ok)
            #expect(response.text.hasPrefix("{"))
            let link = try response.json(ContactLinkResponse.self)
            #expect(link.contactToken.split(separator: ".").count == 3)
            #expect(!link.refreshToken.isEmpty && !link.contactReference.isEmpty)
            #expect(response.header("X-Client-State") != nil)
            #expect(try await device.contactKey() == "anna@example.com")
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna%40example.com")
            #expect(try contact.json(ContactResponse.self).devices == [device.id])
        }
    }

    @Test("WIRE-2: an OpenID token is refused with 403, never 401, whatever else is in the body")
    func openID() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            for others in ["", #","contactFieldValue":"anna""#] {
                let body = #"{"contactFieldId":3,"openIdToken":"eyJh"\#(others)}"#
                let response = try await device.call(.post, "/client/contact", body)
                try expectError(response, .forbidden, "openIDNotConfigured", target: "openIdToken")
                #expect(try response.json(ErrorBody.self).error.message.contains("contactFieldValue"))
            }
        }
    }

    @Test("WIRE-2: a contact field that the app does not list is refused with 403; 3 and \"3\" are one field")
    func contactFields() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings { $0.contactFields = ["3"] }
            var device = TestDevice(server)
            for (field, status) in [("3", 200), (#""3""#, 200), ("4", 403), ("null", 403)] {
                let body = #"{"contactFieldId":\#(field),"contactFieldValue":"anna"}"#
                let response = try await device.call(.post, "/client/contact", body)
                #expect(response.status.code == status, "field \(field)")
            }
        }
    }

    @Test("ID-3, WIRE-2: the field of a link is trimmed, and one that is blank or too long is refused by its name")
    func fieldRule() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings { $0.contactField = "id" }
            var device = TestDevice(server)
            func link(_ field: String) -> String {
                #"{"contactFieldId":"\#(field)","contactFieldValue":"anna"}"#
            }
            let longest = String(repeating: "f", count: 255)
            for (field, key) in [
                (" 3\\n", "field:3:anna"), ("3", "field:3:anna"), (" id ", "anna"), ("", "anna"),
                (longest, "field:\(longest):anna"),
            ] {
                #expect(try await device.call(.post, "/client/contact", link(field)).status == .ok)
                #expect(try await device.contactKey() == key)
            }
            for field in [longest + "f", String(repeating: "f", count: 2_000), " ", "a\\u0000b"] {
                let response = try await device.call(.post, "/client/contact", link(field))
                #expect(response.status == .badRequest)
                #expect(try response.json(ErrorBody.self).error.target == "contactFieldId")
                #expect(try await device.contactKey() == "field:\(longest):anna")
            }
        }
    }

    @Test(
        "WIRE-2, ID-3, ID-9: other fields and party identifiers have name spaces; their keys are found percent-encoded")
    func nameSpaces() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings { $0.contactField = "3" }
            var device = TestDevice(server)
            let party = #"{"type":"email","name":"primary","number":"a@example.com"}"#
            let cases = [
                (#"{"contactFieldValue":"4711"}"#, "4711", "4711"),
                (
                    #"{"contactFieldId":"loyalty","contactFieldValue":"4711"}"#, "field:loyalty:4711",
                    "field%3Aloyalty%3A4711"
                ),
                (#"{"contactFieldId":3,"contactFieldValue":"4711","partyIdentifier":\#(party)}"#, "4711", "4711"),
                (
                    #"{"partyIdentifier":\#(party)}"#, "party:email:primary:a@example.com",
                    "party%3Aemail%3Aprimary%3Aa%40example.com"
                ),
            ]
            for (body, key, path) in cases {
                #expect(try await device.call(.post, "/client/contact", body).status == .ok)
                #expect(try await device.contactKey() == key)
                let contact = try await server.admin(.get, "/apps/shop/contacts/\(path)")
                #expect(try contact.json(ContactResponse.self).devices == [device.id])
            }
            let found = try await server.admin(.get, "/apps/shop/contacts?partyNumber=a%40example.com&partyType=email")
            #expect(try found.json(ContactListResponse.self).contacts.map(\.contactKey) == [cases[3].1])
            let none = try await server.admin(.get, "/apps/shop/contacts?partyNumber=a&partyName=primary")
            #expect(try none.json(ContactListResponse.self).contacts.isEmpty)
            for (query, target) in [
                ("partyType=email", "partyNumber"), ("partyNumber=%20", "partyNumber"),
                ("partyNumber=a&orphaned", "orphaned"),
            ] {
                let rejected = try await server.admin(.get, "/apps/shop/contacts?\(query)")
                #expect(rejected.status == .badRequest)
                #expect(try rejected.json(ErrorBody.self).error.target == target)
            }
        }
    }

    @Test("WIRE-2, ID-9: a wrong name is refused by its field, and changes nothing")
    func wrongNames() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let long = String(repeating: "x", count: 256)
            for (body, code, target) in [
                (#"{"contactFieldValue":"party:a:b:c"}"#, "reservedPrefix", "contactFieldValue"),
                (#"{"partyIdentifier":{"type":" ","name":"b","number":"c"}}"#, "blank", "partyIdentifier"),
                (#"{"partyIdentifier":{"type":"a","name":"b","number":"\#(long)"}}"#, "tooLong", "partyIdentifier"),
                (#"{"partyIdentifier":{"type":"a","name":"b"}}"#, nil, "partyIdentifier.number"),
            ] as [(String, String?, String)] {
                let rejected = try await device.call(.post, "/client/contact", body)
                #expect(rejected.status == .badRequest)
                let error = try rejected.json(ErrorBody.self).error
                #expect(error.target == target && (code == nil || error.code == code), "\(error)")
                #expect(try await device.contactKey() == "anna")
            }
            let nonce = try await device.call(.post, "/client/contact", #"{"nonce":"x"}"#)
            try expectError(nonce, .forbidden, "nothingToTakeOver")
        }
    }

    @Test(
        "WIRE-3: the anonymous link accepts both spellings, any body and any token",
        arguments: ["?anonymous", "?anonymous=true", "?anonymous=TRUE&x=1"], [nil, "{}", "not JSON"] as [String?]
    )
    func anonymous(query: String, body: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for token in ["", "rotten", "a.b.c", String(repeating: "x", count: 4_000)] {
                var device = TestDevice(server)
                let path = "/client/contact\(query)"
                let response = try await device.call(.post, path, body, headers: ["X-Contact-Token": token])
                #expect(response.status == .ok)
                #expect(try await device.contactKey()?.hasPrefix("anonymous:") == true)
            }
        }
    }

    @Test("WIRE-3: with anonymous contacts off the link is refused with 403 and nothing is stored")
    func anonymousOff() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.changeSettings { $0.anonymousContacts = false }
            let before = try await server.contents()
            var device = TestDevice(server)
            let response = try await device.call(.post, "/client/contact?anonymous")
            try expectError(response, .forbidden, "anonymousContactsDisabled")
            #expect(try await server.contents() == before)
        }
    }

    @Test("ID-1: a first start registers, links anonymously and may send its first events")
    func firstStart() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let at = Timestamp.text(server.clock.now)
            let response = try await device.track(
                #"{"id":"e1","type":"internal","name":"app:start","timestamp":"\#(at)"},"#
                    + #"{"id":"e2","type":"internal","name":"session:start","timestamp":"\#(at)"}"#
            )
            #expect(response.status == .noContent)
            #expect(try await device.events().map(\.name).sorted() == ["app:start", "session:start"])
        }
    }

    @Test("ID-1, WIRE-25: an anonymous device that links again keeps its contact")
    func anonymousAgain() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let first = try await device.contactKey()
            try await device.call(.post, "/client/contact?anonymous=true")
            #expect(try await device.contactKey() == first)
            // Its token alone shows as well that it is this device.
            try await device.call(.post, "/client/contact?anonymous=true", headers: ["X-Client-State": ""])
            #expect(try await device.contactKey() == first)
        }
    }

    @Test(
        "ID-4: a device can request a fresh anonymous contact, and stays the same installation",
        arguments: ["&fresh=true", "&fresh", "&fresh=TRUE", "&fresh=false", ""])
    func fresh(wish: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let key = try await device.contactKey()
            let first = try #require(key)
            let token = #"{"pushToken":"abcdef","provider":"apns","environment":"production"}"#
            try await device.call(.put, "/client/push-token", token)
            try await device.call(.post, "/client/registration", device.snapshot(revision: 7))
            _ = try await server.registrations.processWaiting()
            let response = try await device.call(.post, "/client/contact?anonymous=true\(wish)")
            #expect(response.status == .ok)
            let after = try await server.device(device.id)
            #expect(after.contactKey?.hasPrefix("anonymous:") == true)
            #expect((after.contactKey != first) == (!wish.isEmpty && wish != "&fresh=false"))
            #expect(after.pushToken != nil && after.revision == 7)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"bert"}"#)
            // A merged contact is no longer found by its key; another person's contact stays separate (ID-8).
            let left = try await server.admin(.get, "/apps/shop/contacts/\(first)")
            #expect((left.status == .ok) == (after.contactKey != first))
        }
    }

    @Test("WIRE-23: a parameter that is neither true nor false is refused by name")
    func neither() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let response = try await device.call(.post, "/client/contact?anonymous&fresh=perhaps")
            try expectError(response, .badRequest, "badRequest", target: "fresh")
        }
    }

    @Test("ID-1: an identified device that links anonymously leaves its contact")
    func logout() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.post, "/client/contact?anonymous=true")
            #expect(try await device.contactKey()?.hasPrefix("anonymous:") == true)
        }
    }

    @Test("WIRE-25: identifying again as the same contact changes no contact")
    func identifyAgain() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let contacts = try await server.contents().filter { $0.hasPrefix("contacts:") }
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            #expect(try await server.contents().filter { $0.hasPrefix("contacts:") } == contacts)
        }
    }

    @Test("WIRE-20: a known id without a valid state or token never inherits the device's contact")
    func neverInherits() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var victim = TestDevice(server)
            try await victim.start()
            let contact = try await victim.contactKey()
            for (state, token) in [("", ""), ("forged", ""), ("", "a.b.c")] {
                var thief = TestDevice(server)
                thief.id = victim.id
                let headers = ["X-Client-State": state, "X-Contact-Token": token]
                // Properties alone must not give a state that vouches for the contact either.
                try await thief.call(.post, "/client", "{}", headers: headers)
                try await thief.call(.post, "/client/contact?anonymous", headers: token.isEmpty ? [:] : headers)
                #expect(try await thief.contactKey() != contact)
            }
        }
    }

    @Test("WIRE-20: an error returns the state that was sent, and never a forged one")
    func stateOfRejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let state = device.state
            let calls = [("/client/push-token", #"{"pushToken":5}"#), ("/client/nothing", "{}")]
            for (path, body) in calls {
                let rejected = try await device.call(.put, path, body)
                #expect(rejected.status.code >= 400)
                #expect(rejected.header("X-Client-State") == state)
                let forged = try await device.call(.put, path, body, headers: ["X-Client-State": "forged"])
                #expect(forged.header("X-Client-State") == nil)
            }
        }
    }

    @Test("WIRE-21, ID-10: a link of an ended epoch with an older order changes no contact")
    func olderLink() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var before = device
            let order = String(server.clock.now.milliseconds - 5_000)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            let late = try await before.call(
                .post, "/client/contact", #"{"contactFieldValue":"bert"}"#, headers: ["X-Request-Order": order]
            )
            #expect(late.status == .ok)
            #expect(try await device.contactKey() == "anna")
            #expect(try await device.call(.put, "/client/push-token", #"{"pushToken":"aa"}"#).status == .noContent)
        }
    }
}
