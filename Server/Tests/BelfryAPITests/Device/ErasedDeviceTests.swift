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
                        try expectRefusal(response, .gone, "erased", "\(method) \(path) with \(token ?? "its token")")
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
                try expectRefusal(response, .gone, "erased", "\(query) \(body)")
                var stranger = TestDevice(server)
                #expect(try await stranger.call(.post, "/client/contact\(query)", body).status == .forbidden)
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
            var stranger = TestDevice(server)
            let response = try await stranger.track(EventTests.event("e1"))
            try expectRefusal(response, .unauthorized, "contactTokenMissing", target: "X-Contact-Token")
            try await stranger.start(contactKey: "anna")
            #expect(try await stranger.track(EventTests.event("e1")).status == .noContent)
        }
    }
}
