import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Fetching message centers")
struct MessageCenterFetchTests {
    @Test("WIRE-10, MC-5: a center lists its 20 newest messages, without expired and deleted ones, newest first")
    func newest() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let start = server.clock.now
            for number in 1...25 {
                // Two of them left at the same moment: the younger campaign stands first.
                let at = start.addingTimeInterval(Double(number == 25 ? 24 : number))
                var message = TestMessage(Int64(number), at: at)
                if number % 10 == 0 { message.expiresAt = start.addingTimeInterval(100) }
                try await server.keep(message, for: device)
            }
            #expect(try await device.messages().map(\.message) == (6...25).reversed().map { "Message \($0)" })

            let newest = try #require(try await device.messages().first).id
            let deleted = try await device.call(.put, "/client/messages/\(newest)/state", #"{"state":"deleted"}"#)
            #expect(deleted.status == .noContent)
            server.clock.advance(by: 99.999)
            #expect(try await device.messages().map(\.message) == (5...24).reversed().map { "Message \($0)" })
            server.clock.advance(by: 0.001)
            let left = (1...24).filter { $0 % 10 != 0 }.reversed().prefix(20).map { "Message \($0)" }
            #expect(try await device.messages().map(\.message) == left)
        }
    }

    @Test("WIRE-10, BADGE-1: all centers are fetched at once, with empty ones and the badge, as each alone")
    func together() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for name in ["news", "offers", "hidden"] {
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", #"{"label":"x"}"#)
                server.clock.advance(by: 1)
            }
            _ = try await server.admin(.put, "/apps/shop/message-centers/hidden", #"{"enabled":false}"#)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            for (number, center) in ["Primary", "news", "hidden", "news", "elsewhere"].enumerated() {
                let at = server.clock.now.addingTimeInterval(Double(number))
                try await server.keep(TestMessage(Int64(number + 1), center: center, at: at), for: device)
            }
            try await device.call(.put, "/client/badge", #"{"count":3}"#)
            let all = try await device.centers()
            #expect(all.messageCenters.map(\.name) == ["Primary", "news", "offers"])
            #expect(
                all.messageCenters.map { $0.messages.map(\.message) } == [
                    ["Message 1"], ["Message 4", "Message 2"], [],
                ])
            #expect(all.badge == Badge(count: 3, revision: 1))
            for center in all.messageCenters {
                #expect(try await device.messages(in: center.name) == center.messages)
            }
        }
    }

    @Test("MC-2, WIRE-10: each center has its label, or none")
    func labels() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for (name, body) in [("Primary", "{}"), ("news", #"{"label":" Say \"hi\" "}"#), ("offers", "{}")] {
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", body)
                server.clock.advance(by: 1)
            }
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await server.keep(TestMessage(center: "news", at: server.clock.now), for: device)
            let inbox = try await device.call(.get, "/inbox").text
            let first = try await device.centers().messageCenters
            #expect(first.map(\.name) == ["Primary", "news", "offers"])
            #expect(first.map(\.label) == [nil, "Say \"hi\"", nil])
            _ = try await server.admin(.put, "/apps/shop/message-centers/Primary", #"{"label":"Inbox"}"#)
            _ = try await server.admin(.put, "/apps/shop/message-centers/news", #"{"label":""}"#)
            #expect(try await device.centers().messageCenters.map(\.label) == ["Inbox", nil, nil])
            #expect(try await device.call(.get, "/inbox").text == inbox, "version 3 knows no labels")
        }
    }

    @Test("MC-8, WIRE-10: a message has every property, and the same id on all of the contact's devices")
    func properties() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var phone = TestDevice(server)
            try await phone.start(contactKey: "anna")
            var tablet = TestDevice(server)
            try await tablet.start(contactKey: "anna")
            var message = TestMessage(at: server.clock.now, html: "<p>Rich</p>")
            message.subject = "Say \"hi\"\n\u{1F514} \\ é"
            message.expiresAt = server.clock.now.addingTimeInterval(3_600.5)
            message.deeplinkURL = "app://cart/1?a=b c&d=é"
            message.iconURL = "https://example.com/i.png"
            message.custom = ["sku": "42", "price": 9.5, "new": true]
            try await server.keep(message, for: phone)
            let shown = try #require(try await phone.messages().first)
            let expected = MessageCenterMessageBody(
                id: shown.id, sentAt: Timestamp.text(server.clock.now), subject: message.subject, message: "Message 1",
                deeplinkURL: "app%3A%2F%2Fcart%2F1%3Fa%3Db%20c%26d%3D%C3%A9",
                iconURL: "https%3A%2F%2Fexample.com%2Fi.png",
                expiresAt: Timestamp.text(server.clock.now.addingTimeInterval(3_600.5)), center: "Primary",
                hasRichContent: true, state: .unread, custom: message.custom
            )
            #expect(shown == expected)
            #expect(MessageID(shown.id)?.campaign == CampaignID(1))
            #expect(try await tablet.messages() == [expected])
        }
    }

    @Test("MC-5, MC-12, MC-15: a login shows the contact's messages, and a logout those of the installation")
    func contacts() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await server.keep(TestMessage(at: server.clock.now), for: device)
            var other = TestDevice(server)
            try await other.start()
            try await server.keep(TestMessage(2, at: server.clock.now), for: other)
            #expect(try await other.messages().map(\.message) == ["Message 2"])
            server.clock.advance(by: 1)
            try await other.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            #expect(try await other.messages().map(\.message) == ["Message 1"])
            #expect(try await other.messages() == device.messages())
            server.clock.advance(by: 1)
            try await other.call(.post, "/client/contact?anonymous=true")
            #expect(try await other.messages().map(\.message) == ["Message 2"])
            #expect(try await other.centers().messageCenters.map { $0.messages.map(\.message) } == [["Message 2"]])
        }
    }

    @Test("MC-10: the fetch of all centers names the disabled ones, and no others")
    func disabledNames() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.centers().disabled == [])
            for name in ["Primary", "news"] {
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", #"{"enabled":false}"#)
            }
            let response = try await device.centers()
            #expect(response.messageCenters.isEmpty && response.disabled == ["Primary", "news"])
            _ = try await server.admin(.delete, "/apps/shop/message-centers/news")
            #expect(try await device.centers().disabled == ["Primary"])
        }
    }

    @Test("WIRE-10: a disabled center is a 403 and an unknown one a 404; the others stay as they are")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for name in ["news", "Primary"] {
                let path = "/client/message-centers/\(name)/messages"
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", #"{"enabled":false}"#)
                try expectError(try await device.call(.get, path), .forbidden, "messageCenterDisabled")
                _ = try await server.admin(.put, "/apps/shop/message-centers/\(name)", #"{"enabled":true}"#)
                #expect(try await device.call(.get, path).status == .ok)
            }
            for name in [
                "News", "primary", "news%20", "%20news", "n%2Fws", "%F0%9F%94%94", String(repeating: "n", count: 65),
            ] {
                let response = try await device.call(.get, "/client/message-centers/\(name)/messages")
                try expectError(response, .notFound, "unknownMessageCenter", target: "messageCenter", "\(name)")
            }
            _ = try await server.admin(.delete, "/apps/shop/message-centers/news")
            let gone = try await device.call(.get, "/client/message-centers/news/messages")
            try expectError(gone, .notFound, "unknownMessageCenter", target: "messageCenter")
        }
    }

    @Test("WIRE-20, WIRE-22: a fetch with a newer link's token ends the older one's, as every call does")
    func generations() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let old = device.contactToken
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"anna"}"#)
            let headers = ["X-Contact-Token": old ?? ""]
            #expect(try await device.call(.get, "/client/message-centers", headers: headers).status == .ok)
            #expect(try await device.call(.get, "/client/message-centers").status == .ok)
            let before = try await server.contents()
            let ended = try await device.call(.get, "/client/message-centers", headers: headers)
            try expectError(ended, .unauthorized, "contactTokenInvalid", target: "X-Contact-Token")
            // From the second time on it is a read and no more.
            #expect(try await device.call(.get, "/client/message-centers").status == .ok)
            #expect(try await device.call(.get, "/client/badge").status == .ok)
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-27: a full center is compressed for clients that accept it")
    func packed() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for number in 1...20 {
                try await server.keep(TestMessage(Int64(number), at: server.clock.now), for: device)
            }
            let plain = try await device.call(.get, "/client/message-centers")
            let packed = try await device.call(.get, "/client/message-centers", headers: ["Accept-Encoding": "gzip"])
            #expect(packed.header("Content-Encoding") == "gzip")
            let bytes = try Inflation(coding: .gzip, limit: 1_000_000).unpacked(Array(packed.body.readableBytesView))
            #expect(bytes == Array(plain.body.readableBytesView))
        }
    }
}
