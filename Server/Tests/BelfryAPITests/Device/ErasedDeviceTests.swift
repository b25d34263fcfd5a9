import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Erased devices")
struct ErasedDeviceTests {
    /// Every call of the device API, with a body that would do.
    private static func calls(_ device: TestDevice) -> [(HTTPRequest.Method, String, String?)] {
        [
            (.post, "/client", #"{"platform":"ios"}"#),
            (.post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"bert"}"#),
            (.post, "/client/contact?anonymous=true", nil),
            (.post, "/client/contact-token", #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#),
            (.put, "/client/push-token", #"{"pushToken":"\#(PushTokenTests.token)"}"#),
            (.delete, "/client/push-token", nil),
            (.post, "/client/events", #"{"events":[\#(EventTests.event("e1"))]}"#),
            (.post, "/client/registration", device.snapshot(revision: 1)),
            (.get, "/client/registration/\(UUID().uuidString)", nil),
            (.get, "/client/message-centers", nil),
            (.get, "/client/message-centers/Primary/messages", nil),
            (.get, "/inbox", nil),
            (.put, "/client/messages/\(UUID().uuidString)/state", #"{"state":"read"}"#),
            (.get, "/client/messages/\(UUID().uuidString)", nil),
            (.put, "/client/messages/\(UUID().uuidString)/rich-content/confirmation", nil),
            (.delete, "/client/messages/\(UUID().uuidString)/rich-content/confirmation", nil),
            (.get, "/client/badge", nil),
            (.put, "/client/badge", #"{"count":1}"#),
        ]
    }

    @Test("REG-36: every call of an erased device is a 410, whatever its token and the spelling of its id")
    func gone() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            #expect(try await server.admin(.post, "/apps/shop/contacts/anna/erase").status == .ok)
            let before = try await server.contents()
            let spellings = [device.id, device.id.lowercased()]
            for hours in [0.0, 9] {
                server.clock.advance(by: hours * 3_600)
                for (method, path, body) in Self.calls(device) {
                    for (token, id) in zip([nil, "", "rotten"] as [String?], spellings + [device.id]) {
                        var headers = ["X-Client-Id": id]
                        headers["X-Contact-Token"] = token
                        let response = try await device.call(method, path, body, headers: headers)
                        try expectError(response, .gone, "erased", "\(method) \(path) with \(token ?? "its token")")
                    }
                }
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("REG-36: an erased device that may not link learns that it was erased, another one that it may not")
    func mayNotLink() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, "/apps/shop/contacts/anna/erase")
            try await server.changeSettings {
                $0.anonymousContacts = false
                $0.identity = .verified
            }
            server.clock.advance(by: 5)
            let bodies = [#"{"contactFieldValue":"anna"}"#, #"{"openIdToken":"a.b.c"}"#]
            let calls = [("?anonymous=true", "{}")] + bodies.map { ("", $0) }
            for (query, body) in calls {
                let response = try await device.call(.post, "/client/contact\(query)", body)
                try expectError(response, .gone, "erased", "\(query) \(body)")
                var impostor = TestDevice(server)
                #expect(try await impostor.call(.post, "/client/contact\(query)", body).status == .forbidden)
            }
        }
    }

    @Test("WIRE-22: an unknown device is told to link, not that it was erased")
    func unknown() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            _ = try await server.admin(.post, "/apps/shop/contacts/anna/erase")
            var impostor = TestDevice(server)
            let response = try await impostor.track(EventTests.event("e1"))
            try expectError(response, .unauthorized, "contactTokenMissing", target: "X-Contact-Token")
            try await impostor.start(contactKey: "anna")
            #expect(try await impostor.track(EventTests.event("e1")).status == .noContent)
        }
    }

    private static let v3 = ["X-EMARSYS-SDK-VERSION": "3.10.2", "X-EMARSYS-SDK-MODE": "production"]

    /// A client of Mobile Engage v3 of a person who was erased, as it was before.
    private func erasedClient(_ server: TestServer) async throws -> TestDevice {
        try await server.makeApp()
        var device = TestDevice(server)
        try await device.call(.post, "/client", #"{"platform":"ios"}"#, headers: Self.v3)
        let login = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
        #expect(try await device.call(.post, "/client/contact", login, headers: Self.v3).status == .ok)
        let events = #"{"events":[\#(EventTests.event("e1"))]}"#
        #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .noContent)
        #expect(try await server.admin(.post, "/apps/shop/contacts/anna/erase").status == .ok)
        server.clock.advance(by: 5)
        return device
    }

    @Test("REG-36, WIRE-29: whatever a v3 client calls, it hears of the erasure, and gets a state for what comes next")
    func v3Rejected() async throws {
        try await TestServer.run { server in
            let before = try await erasedClient(server)
            let contents = try await server.contents()
            for (method, path, body) in Self.calls(before) {
                var device = before
                let response = try await device.call(method, path, body, headers: Self.v3)
                try expectError(response, .gone, "erased", "\(method) \(path)")
                #expect(device.state != before.state && device.state?.isEmpty == false, "\(method) \(path)")
            }
            #expect(try await server.contents() == contents)
        }
    }

    @Test("REG-36, WIRE-29: a v3 client that has heard of the erasure begins anew; what it had before stays refused")
    func v3Anew() async throws {
        try await TestServer.run { server in
            let before = try await erasedClient(server)
            var device = before
            let events = #"{"events":[\#(EventTests.event("e2"))]}"#
            let refresh = #"{"refreshToken":"\#(before.refreshToken ?? "")"}"#
            #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .gone)
            let former = device.state
            // Its tokens have ended, in the words that such a client understands.
            let late = try await device.call(.post, "/client/events", events, headers: Self.v3)
            try expectError(late, .unauthorized, "contactTokenInvalid", target: "X-Contact-Token")
            let renewed = try await device.call(.post, "/client/contact-token", refresh, headers: Self.v3)
            try expectError(renewed, .badRequest, "1101", target: "refreshToken")
            // It still shows its former token here, as these clients do.
            let link = try await device.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3)
            #expect(link.status == .ok && device.contactToken != before.contactToken)
            #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .noContent)
            let stored = try await server.device(device.id)
            #expect(stored.contactKey?.hasPrefix("anonymous:") == true)
            #expect(try await device.events().count == 1)
            // The token expires as any other, and is renewed.
            server.clock.advance(by: 9 * 3_600)
            let expired = try await device.call(.post, "/client/events", events, headers: Self.v3)
            try expectError(expired, .unauthorized, "contactTokenExpired", target: "X-Contact-Token")
            let own = #"{"refreshToken":"\#(device.refreshToken ?? "")"}"#
            #expect(try await device.call(.post, "/client/contact-token", own, headers: Self.v3).status == .ok)
            try await expectRejected(before, refresh, beside: device, server)
            // The person is as new under their former key.
            let login = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
            #expect(try await device.call(.post, "/client/contact", login, headers: Self.v3).status == .ok)
            #expect(try await device.events().count == 1)
            // Erased once more, it hears of that, too: what it was told of the first erasure does not count.
            #expect(try await server.admin(.post, "/apps/shop/contacts/anna/erase").status == .ok)
            for state in [former, device.state] {
                var replay = device
                replay.state = state
                let response = try await replay.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3)
                try expectError(response, .gone, "erased")
            }
        }
    }

    /// What the client had before the erasure is refused while it lives anew, and changes nothing.
    private func expectRejected(
        _ before: TestDevice, _ refresh: String, beside device: TestDevice, _ server: TestServer
    ) async throws {
        let contents = try await server.contents()
        for (method, path, body) in Self.calls(before) {
            var replay = before
            try expectError(
                try await replay.call(method, path, body, headers: Self.v3), .gone, "erased", "\(method) \(path)")
        }
        var thief = device
        thief.contactToken = before.contactToken
        let events = #"{"events":[\#(EventTests.event("e3"))]}"#
        #expect(try await thief.call(.post, "/client/events", events, headers: Self.v3).status == .unauthorized)
        let renewed = try await thief.call(.post, "/client/contact-token", refresh, headers: Self.v3)
        try expectError(renewed, .badRequest, "1101", target: "refreshToken")
        #expect(try await server.contents() == contents)
    }

    /// The keys of the contacts of all installations with an id, of the newest first.
    private func owners(of id: String, _ server: TestServer) async throws -> [String?] {
        try await server.admin(.get, "/apps/shop/devices?clientId=\(id)").json(DeviceListResponse.self)
            .devices.map(\.contactKey)
    }

    @Test(
        "REG-36, WIRE-20: a v3 client whose first links after an erasure were lost is one device, an impostor another")
    func lostLinksAfterErasure() async throws {
        try await TestServer.run { server in
            var device = try await erasedClient(server)
            let events = #"{"events":[\#(EventTests.event("e2"))]}"#
            let login = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
            #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .gone)
            let former = device
            for _ in 0..<3 {
                server.clock.advance(by: 1)
                var lost = device
                #expect(try await lost.call(.post, "/client/contact", login, headers: Self.v3).status == .ok)
            }
            #expect(try await owners(of: device.id, server) == ["anna"])
            // Who knows no more than the id does not get in, though nobody has used a link yet.
            var impostor = TestDevice(server)
            impostor.id = device.id
            let theirs = #"{"contactFieldId":3,"contactFieldValue":"mallory"}"#
            #expect(try await impostor.call(.post, "/client/contact", theirs, headers: Self.v3).status == .ok)
            #expect(try await owners(of: device.id, server) == ["mallory", "anna"])
            server.clock.advance(by: 1)
            #expect(try await device.call(.post, "/client/contact", login, headers: Self.v3).status == .ok)
            #expect(try await owners(of: device.id, server) == ["mallory", "anna"])
            #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .noContent)
            // Once a link is used, the state from before it opens the installation to nobody.
            server.clock.advance(by: 1)
            var late = former
            #expect(try await late.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3).status == .ok)
            #expect(try await owners(of: device.id, server).count == 3)
            #expect(try await device.call(.post, "/client/events", events, headers: Self.v3).status == .noContent)
        }
    }

    @Test("REG-36, WIRE-20: it is one device, too, where its properties came first")
    func lostPropertiesAfterErasure() async throws {
        try await TestServer.run { server in
            var device = try await erasedClient(server)
            let properties = #"{"platform":"ios"}"#
            #expect(try await device.call(.post, "/client", properties, headers: Self.v3).status == .gone)
            let former = device
            #expect(try await device.call(.post, "/client", properties, headers: Self.v3).status == .noContent)
            // Who knows the id alone shares it with nobody who has a state.
            var impostor = TestDevice(server)
            impostor.id = device.id
            #expect(
                try await impostor.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3).status == .ok)
            #expect(try await owners(of: device.id, server).count == 2)
            device = former
            for _ in 0..<2 {
                var lost = device
                #expect(try await lost.call(.post, "/client", properties, headers: Self.v3).status == .noContent)
                server.clock.advance(by: 1)
                let link = try await lost.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3)
                #expect(link.status == .ok)
                server.clock.advance(by: 1)
            }
            #expect(try await owners(of: device.id, server).count == 2)
        }
    }

    @Test(
        "REG-36, WIRE-29: a v3 client that was installed anew keeps its id and begins at once; Belfry's SDK has another"
    )
    func reinstalled() async throws {
        try await TestServer.run { server in
            let before = try await erasedClient(server)
            var device = TestDevice(server)
            device.id = before.id
            let properties = #"{"platform":"ios"}"#
            let rejected = try await device.call(.post, "/client", properties)
            try expectError(rejected, .gone, "erased")
            #expect(try await device.call(.post, "/client", properties, headers: Self.v3).status == .noContent)
            let link = try await device.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3)
            #expect(link.status == .ok)
            #expect(try await device.events().isEmpty)
        }
    }

    @Test(
        "REG-36, WIRE-29: who shows a state that is not ours does not learn that somebody was erased",
        arguments: ["!", "QUJD"])
    func impostor(state: String) async throws {
        try await TestServer.run { server in
            let erased = try await erasedClient(server)
            let known = TestDevice(server)
            var answers: [String] = []
            for id in [erased.id, known.id] {
                var impostor = TestDevice(server)
                impostor.id = id
                impostor.state = state
                let response = try await impostor.call(
                    .post, "/client/contact-token", #"{"refreshToken":"x"}"#, headers: Self.v3)
                answers.append("\(response.status) \(String(buffer: response.body))")
            }
            #expect(answers[0] == answers[1])
        }
    }

    @Test("REG-36, WIRE-29: who links a v3 client's id to themselves and is erased ends nothing of that client's")
    func squatter() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var owner = TestDevice(server)
            let properties = #"{"platform":"ios"}"#
            try await owner.call(.post, "/client", properties, headers: Self.v3)
            let login = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
            #expect(try await owner.call(.post, "/client/contact", login, headers: Self.v3).status == .ok)
            var squatter = TestDevice(server)
            squatter.id = owner.id
            let theirs = #"{"contactFieldId":3,"contactFieldValue":"mallory"}"#
            #expect(try await squatter.call(.post, "/client/contact", theirs, headers: Self.v3).status == .ok)
            #expect(try await server.admin(.post, "/apps/shop/contacts/mallory/erase").status == .ok)
            server.clock.advance(by: 5)
            let events = #"{"events":[\#(EventTests.event("e1"))]}"#
            #expect(try await owner.call(.post, "/client/events", events, headers: Self.v3).status == .noContent)
            #expect(try await owner.call(.post, "/client", properties, headers: Self.v3).status == .noContent)
            // Nor once it is installed anew, with its id and nothing else.
            var anew = TestDevice(server)
            anew.id = owner.id
            #expect(try await anew.call(.post, "/client", properties, headers: Self.v3).status == .noContent)
            let link = try await anew.call(.post, "/client/contact?anonymous=true", "{}", headers: Self.v3)
            #expect(link.status == .ok)
            #expect(try await owners(of: owner.id, server).contains("anna"))
        }
    }

    @Test("REG-36, WIRE-20: an erasure shuts out no other installation with the same id")
    func sameID() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var owner = TestDevice(server)
            try await owner.start(contactKey: "anna")
            var other = TestDevice(server)
            other.id = owner.id
            try await other.start(contactKey: "bert")
            #expect(try await server.admin(.post, "/apps/shop/contacts/anna/erase").status == .ok)
            #expect(try await other.track(EventTests.event("e1")).status == .noContent)
            // Not even once its token has expired, or was ended by a newer link.
            server.clock.advance(by: 9 * 3_600)
            let expired = try await other.track(EventTests.event("e2"))
            try expectError(expired, .unauthorized, "contactTokenExpired", target: "X-Contact-Token")
            let refresh = #"{"refreshToken":"\#(other.refreshToken ?? "")"}"#
            #expect(try await other.call(.post, "/client/contact-token", refresh).status == .ok)
            let former = other.contactToken
            try await other.call(.post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"cleo"}"#)
            #expect(try await other.track(EventTests.event("e3")).status == .noContent)
            var late = other
            late.contactToken = former
            let ended = try await late.track(EventTests.event("e4"))
            try expectError(ended, .unauthorized, "contactTokenInvalid", target: "X-Contact-Token")
            try expectError(try await owner.track(EventTests.event("e5")), .gone, "erased")
        }
    }
}
