import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// Fetches of message centers that take the short way.
@Suite("The express lane for fetches")
struct ExpressFetchTests {
    private static func fetch(_ path: String, by device: TestDevice, asks encoding: String? = nil) -> WireRequest {
        var request = WireRequest(path, "", by: device, order: device.server.clock.now.milliseconds)
        request.method = "GET"
        request.set("Content-Type", nil)
        request.set("Accept-Encoding", encoding)
        return request
    }

    /// A contact with messages, some of them read, and a center that is off.
    private func prepare(_ server: TestServer) async throws -> TestDevice {
        try await server.makeApp()
        _ = try await server.admin(.put, "/apps/shop/message-centers/news", #"{"label":"News"}"#)
        _ = try await server.admin(.put, "/apps/shop/message-centers/off", #"{"enabled":false}"#)
        var device = TestDevice(server)
        try await device.start(contactKey: "anna")
        for number in 1...3 {
            var message = TestMessage(Int64(number), center: number == 3 ? "news" : "Primary", at: server.clock.now)
            message.deeplinkURL = "https://example.com/a?b=ü"
            message.custom = ["text": .string("\"quoted\" \\ ")]
            try await server.keep(message, for: device)
        }
        let first = try #require(try await device.messages().first).id
        _ = try await device.call(.put, "/client/messages/\(first)/state", #"{"state":"read"}"#)
        return device
    }

    @Test(
        "PERF-7, WIRE-10: a plain fetch takes the lane, and its response equals the router's",
        .timeLimit(.minutes(15)),
        arguments: [
            "/client/message-centers", "/client/message-centers/Primary/messages",
            "/client/message-centers/news/messages",
        ])
    func takes(path: String) async throws {
        try await TestServer.run(over: .lane) { server in
            let device = try await prepare(server)
            let connection = try await WireConnection.open(to: server)
            let short = try #require(try await connection.answer(to: Self.fetch(path, by: device)))
            let long = try #require(try await connection.answer(to: Self.fetch(path, by: device, asks: "identity")))
            #expect(short.isExpress(of: server) && !long.isExpress(of: server))
            #expect(short.status == 200 && short.body.contains("quoted"))
            #expect(short.timeless == long.timeless)
            await connection.close()
        }
    }

    @Test("SEC-2, WIRE-10: who has a long message is read alone, by the router, and gets all", .timeLimit(.minutes(15)))
    func long() async throws {
        try await TestServer.run(over: .lane) { server in
            let device = try await prepare(server)
            var message = TestMessage(4, center: "news", at: server.clock.now)
            message.subject = String(repeating: "x", count: MessageCenterMessageRepository.maximumTextTogether)
            try await server.keep(message, for: device)
            let connection = try await WireConnection.open(to: server)
            let fetch = Self.fetch("/client/message-centers", by: device)
            let answer = try #require(try await connection.answer(to: fetch))
            #expect(answer.status == 200 && !answer.isExpress(of: server))
            let response = try JSONDecoder().decode(MessageCentersResponse.self, from: Data(answer.body.utf8))
            let counts = response.messageCenters.map(\.messages.count)
            let subjects = response.messageCenters.last?.messages.map(\.subject)
            #expect(counts == [2, 2] && subjects?.contains(message.subject) == true)
            await connection.close()
        }
    }

    @Test(
        "PERF-7, WIRE-9: a sync with nothing new takes the lane, all others the router", .timeLimit(.minutes(15)))
    func syncs() async throws {
        try await TestServer.run(over: .lane) { server in
            let device = try await prepare(server)
            let connection = try await WireConnection.open(to: server)
            let path = "/client/in-app-messages"
            let first = try #require(try await connection.answer(to: Self.fetch(path, by: device)))
            // Changes within the last second are fetched once more.
            server.clock.advance(by: 2)
            let second = try #require(try await connection.answer(to: Self.fetch(path, by: device)))
            #expect(!first.isExpress(of: server) && !second.isExpress(of: server) && second.status == 200)
            let cursor = try JSONDecoder().decode(InAppSyncResponse.self, from: Data(second.body.utf8)).cursor
            let since = "\(path)?since=\(cursor)"
            let short = try #require(try await connection.answer(to: Self.fetch(since, by: device)))
            let long = try #require(try await connection.answer(to: Self.fetch(since, by: device, asks: "identity")))
            #expect(short.isExpress(of: server) && !long.isExpress(of: server))
            #expect(short.status == 200 && short.timeless == long.timeless)
            let strange = try #require(try await connection.answer(to: Self.fetch("\(path)?since=AAAA", by: device)))
            #expect(strange.status == 200 && !strange.isExpress(of: server))
            await connection.close()
        }
    }

    @Test("PERF-7, WIRE-10, WIRE-22: errors and special cases go to the router", .timeLimit(.minutes(15)))
    func others() async throws {
        try await TestServer.run(over: .lane) { server in
            let device = try await prepare(server)
            var foreign = TestDevice(server)
            try await foreign.start()
            foreign.contactToken = device.contactToken
            let connection = try await WireConnection.open(to: server)
            let cases: [(request: WireRequest, status: Int)] = [
                (Self.fetch("/client/message-centers/off/messages", by: device), 403),
                (Self.fetch("/client/message-centers/none/messages", by: device), 404),
                (Self.fetch("/client/message-centers//messages", by: device), 404),
                (Self.fetch("/client/message-centers", by: foreign), 401),
                (Self.fetch("/client/message-centers?x=1", by: device), 200),
                (Self.fetch("/client/message-centers", by: device, asks: "gzip"), 200),
            ]
            for (request, status) in cases {
                let response = try #require(try await connection.answer(to: request), "\(request.path)")
                #expect(
                    response.status == status && !response.isExpress(of: server),
                    "\(request.path): \(response.timeless)")
            }
            await connection.close()
        }
    }

    @Test(
        "PERF-7, WIRE-20: the first use of a newer link's token ends the earlier ones, by the router",
        .timeLimit(.minutes(15)))
    func newLink() async throws {
        try await TestServer.run(over: .lane) { server in
            var device = try await prepare(server)
            let former = device
            try await device.start(contactKey: "bert")
            let connection = try await WireConnection.open(to: server)
            let path = "/client/message-centers"
            let first = try #require(try await connection.answer(to: Self.fetch(path, by: device)))
            #expect(first.status == 200 && !first.isExpress(of: server) && !first.body.contains("quoted"))
            let second = try #require(try await connection.answer(to: Self.fetch(path, by: device)))
            #expect(second.status == 200 && second.isExpress(of: server))
            #expect(try await connection.answer(to: Self.fetch(path, by: former))?.status == 401)
            await connection.close()
        }
    }
}
