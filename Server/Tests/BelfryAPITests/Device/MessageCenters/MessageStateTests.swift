import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("States of messages")
struct MessageStateTests {
    private static func put(
        _ body: String, of id: String, by device: TestDevice
    ) async throws -> APIResponse {
        var device = device
        return try await device.call(.put, "/client/messages/\(id)/state", body)
    }

    @Test("WIRE-15, MC-14: read on one device is read on the other; deleted wins over read, and nothing is undone")
    func joined() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var phone = TestDevice(server)
            try await phone.start(contactKey: "anna")
            var tablet = TestDevice(server)
            try await tablet.start(contactKey: "anna")
            try await server.keep(TestMessage(at: server.clock.now), for: phone)
            let id = try #require(try await phone.messages().first).id
            #expect(try await Self.put(#"{"state":"read"}"#, of: id, by: phone).status == .noContent)
            #expect(try await tablet.messages().map(\.state) == [.read])
            let read = try await server.contents()
            server.clock.advance(by: 1)
            #expect(try await Self.put(#"{"state":"read"}"#, of: id, by: tablet).status == .noContent)
            #expect(try await server.contents() == read)
            #expect(try await Self.put(#"{"state":"deleted"}"#, of: id, by: tablet).status == .noContent)
            #expect(try await phone.messages() == [])
            #expect(try await tablet.messages() == [])
            let deleted = try await server.contents()
            for state in ["read", "deleted"] {
                #expect(try await Self.put(#"{"state":"\#(state)"}"#, of: id, by: phone).status == .noContent)
            }
            #expect(try await server.contents() == deleted)
        }
    }

    @Test("WIRE-15: an invalid state, or another contact's message, is refused and changes nothing")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await server.keep(TestMessage(at: server.clock.now), for: device)
            let id = try #require(try await device.messages().first).id
            var other = TestDevice(server)
            try await other.start(contactKey: "bert")
            let before = try await server.contents()
            let unread = try await Self.put(#"{"state":"unread"}"#, of: id, by: device)
            try expectError(unread, .badRequest, "invalidMessageState", target: "state")
            for body in [#"{"state":"seen"}"#, "{}", #"{"state":1}"#] {
                let response = try await Self.put(body, of: id, by: device)
                try expectError(response, .badRequest, "invalidBody", target: "state", "\(body)")
            }
            let reference = try #require(other.contactReference)
            let others = [
                (id, #"{"state":"read"}"#, other), ("x", #"{"state":"read"}"#, device),
                (UUID().uuidString, #"{"state":"deleted"}"#, device),
                // A reference is good for the device that it was given to.
                (id, #"{"state":"read","contact":"\#(reference)"}"#, device),
                (id, #"{"state":"read","contact":"rotten"}"#, device),
            ]
            for (id, body, device) in others {
                let response = try await Self.put(body, of: id, by: device)
                try expectError(response, .notFound, "unknownMessage", target: "message", "\(id) \(body)")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-15, ID-7: a message read before a logout counts for the person who read it, by the reference")
    func afterLogout() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await server.keep(TestMessage(at: server.clock.now), for: device)
            let id = try #require(try await device.messages().first).id
            let anna = try #require(device.contactReference)
            server.clock.advance(by: 1)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"bert"}"#)
            try await server.keep(TestMessage(at: server.clock.now), for: device)
            let plain = try await Self.put(#"{"state":"read"}"#, of: id, by: device)
            try expectError(plain, .notFound, "unknownMessage", target: "message")
            let owned = try await Self.put(#"{"state":"read","contact":"\#(anna)"}"#, of: id, by: device)
            #expect(owned.status == .noContent)
            #expect(try await device.messages().map(\.state) == [.unread])
            var tablet = TestDevice(server)
            try await tablet.start(contactKey: "anna")
            #expect(try await tablet.messages().map(\.state) == [.read])
        }
    }

    @Test(
        "MC-14: in any order of the devices' states, the most advanced one wins",
        arguments: Endurance.seeds(20, brief: 5))
    func anyOrder(seed: UInt64) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var dice = SeededGenerator(seed: seed)
            var devices: [TestDevice] = []
            for _ in 0..<3 {
                var device = TestDevice(server)
                try await device.start(contactKey: "anna")
                devices.append(device)
            }
            for campaign in 1...5 {
                let at = server.clock.now.addingTimeInterval(Double(campaign))
                try await server.keep(TestMessage(Int64(campaign), at: at), for: devices[0])
            }
            let ids = try await devices[0].messages().map(\.id)
            // The actions of each device without a network, and those that are sent twice.
            var words: [(device: Int, id: String, state: MessageState)] = []
            for device in devices.indices {
                for id in ids where Bool.random(using: &dice) {
                    words.append((device, id, Bool.random(using: &dice) ? .read : .deleted))
                }
            }
            words += words.filter { _ in Bool.random(using: &dice) }
            words.shuffle(using: &dice)
            for word in words {
                let body =
                    #"{"state":"\#(word.state.rawValue)","contact":"\#(devices[word.device].contactReference ?? "")"}"#
                #expect(try await Self.put(body, of: word.id, by: devices[word.device]).status == .noContent)
            }
            let ends = ids.map { id in
                (id, words.filter { $0.id == id }.reduce(MessageState.unread) { max($0, $1.state) })
            }
            let expected = ends.filter { $0.1 != .deleted }.map { "\($0.0) \($0.1)" }
            for index in devices.indices {
                let shown = try await devices[index].messages().map { "\($0.id) \($0.state)" }
                #expect(shown == expected, "seed \(seed), device \(index)")
            }
        }
    }
}
