import BelfryModel
import BelfryServices
import Foundation
import NIOCore
import Testing

/// The steps on a connection while a write of its lane is in progress.
@Suite("The handler of the express lane")
struct ExpressHandlerTests {
    private static func run(
        idleTimeout: Duration = .seconds(600),
        _ test: @escaping @Sendable (StillConnection, TestServer, TestDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let started = device
            try await StillConnection.run(on: server, idleTimeout: idleTimeout) { connection in
                try await test(connection, server, started)
            }
        }
    }

    private static func upload(_ id: String, _ device: TestDevice) -> [UInt8] {
        let body = #"{"events":[\#(EventTests.event(id))]}"#
        let order = device.server.clock.now.milliseconds
        return WireRequest("/client/events", body, by: device, order: order).bytes
    }

    @Test("WIRE-26: the response waits for the commit", .timeLimit(.minutes(15)))
    func commitFirst() async throws {
        try await Self.run { connection, server, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device))
            #expect(try await connection.written().isEmpty)
            #expect(connection.database.count == 1)
            #expect(try await device.events().isEmpty)
            try await connection.database.letGo()
            let response = try await connection.next()
            #expect(response.status == 204)
            #expect(response.isExpress(of: server))
            #expect(try await device.events().map(\.id) == ["e1"])
        }
    }

    @Test(
        "WIRE-6: requests after one that waits for its commit are held, and answered in order",
        .timeLimit(.minutes(15)))
    func held() async throws {
        try await Self.run { connection, _, device in
            connection.database.hold()
            let requests = [Self.upload("e1", device), WireRequest.health.bytes, Self.upload("e2", device)]
            for request in requests { try await connection.receive(request) }
            #expect(try await connection.written().isEmpty)
            // The second upload did not pass the first.
            #expect(connection.database.count == 1)
            try await connection.database.letGo()
            let responses = [try await connection.next(), try await connection.next(), try await connection.next()]
            // Behind what went to the router, the next one goes there too: it is not answered before.
            #expect(responses.map(\.status) == [204, StillConnection.routed, StillConnection.routed])
            #expect(responses[1].body == "/healthz 0")
            #expect(try await device.events().map(\.id) == ["e1"])
        }
    }

    @Test(
        "SEC-2: of pipelined data no more than one piece is read until the response is written",
        .timeLimit(.minutes(15)))
    func readsNoFurther() async throws {
        try await Self.run { connection, _, device in
            let counter = try await connection.countReads()
            try await connection.askForMore()
            #expect(counter.count == 1)
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device))
            try await connection.askForMore()
            #expect(counter.count == 2)
            try await connection.receive(Self.upload("e2", device))
            for _ in 0..<3 { try await connection.askForMore() }
            #expect(counter.count == 2)
            try await connection.database.letGo()
            #expect(try await connection.next().status == 204)
            #expect(try await connection.next().status == 204)
            #expect(counter.count == 3)
            try await connection.askForMore()
            #expect(counter.count == 4)
        }
    }

    @Test("SEC-2: a client that reads no responses finds the lane closed", .timeLimit(.minutes(15)))
    func fullBuffers() async throws {
        try await Self.run { connection, server, device in
            connection.channel.isWritable = false
            try await connection.receive(Self.upload("e1", device))
            #expect(try await connection.next().status == StillConnection.routed)
            connection.channel.isWritable = true
            try await connection.receive(Self.upload("e2", device))
            #expect(try await connection.next().isExpress(of: server))
        }
    }

    @Test(
        "CLI-2: the server's end waits only for the lane's work in progress", .timeLimit(.minutes(15)))
    func quiesce() async throws {
        try await Self.run { connection, _, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device) + Self.upload("e2", device))
            try await connection.fire(ChannelShouldQuiesceEvent())
            #expect(await connection.isOpen)
            try await connection.database.letGo()
            #expect(try await connection.next().status == 204)
            #expect(try await connection.next().status == 204)
            #expect(await connection.isOpen == false)
        }
        try await Self.run { connection, _, device in
            let bytes = Self.upload("e1", device)
            try await connection.receive(Array(bytes.dropLast(20)))
            try await connection.fire(ChannelShouldQuiesceEvent())
            #expect(await connection.isOpen)
            try await connection.receive(Array(bytes.suffix(20)))
            #expect(try await connection.next().status == 204)
            #expect(await connection.isOpen == false)
        }
        try await Self.run { connection, _, device in
            try await connection.receive(Self.upload("e1", device))
            #expect(try await connection.next().status == 204)
            try await connection.fire(ChannelShouldQuiesceEvent())
            #expect(await connection.isOpen == false)
        }
    }

    @Test(
        "SEC-2: a connection that waits for its commit is not idle; after that it is", .timeLimit(.minutes(15)))
    func idle() async throws {
        // So short that the real clock has passed it before the loop has moved its own.
        try await Self.run(idleTimeout: .milliseconds(1)) { connection, _, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device))
            await connection.passTime(.hours(1))
            #expect(await connection.isOpen)
            try await connection.database.letGo()
            #expect(try await connection.written().map(\.status) == [204])
            await connection.passTime(.hours(1))
            #expect(await connection.isOpen == false)
        }
        try await Self.run(idleTimeout: .milliseconds(1)) { connection, _, device in
            try await connection.receive(Array(Self.upload("e1", device).dropLast(1)))
            await connection.passTime(.hours(1))
            #expect(await connection.isOpen == false)
        }
    }

    @Test(
        "SEC-2, WIRE-23: a body that does not arrive is left to the router, which reports it", .timeLimit(.minutes(15)))
    func tooSlow() async throws {
        try await Self.run { connection, _, device in
            try await connection.receive(Array(Self.upload("e1", device).dropLast(1)))
            await connection.passTime(.seconds(121))
            #expect(try await connection.next().status == 408)
        }
    }

    @Test(
        "WIRE-6: a client that closes its side, or sends non-HTTP, during a write first gets the response to it",
        .timeLimit(.minutes(15)))
    func lastWords() async throws {
        try await Self.run { connection, _, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device))
            try await connection.fire(ChannelEvent.inputClosed)
            #expect(await connection.isOpen)
            try await connection.database.letGo()
            #expect(try await connection.next().status == 204)
        }
        try await Self.run { connection, _, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device) + Array("BROKEN\r\n\r\n".utf8))
            #expect(try await connection.written().isEmpty)
            try await connection.database.letGo()
            #expect(try await connection.next().status == 204)
            #expect(try await connection.next().status == 400)
        }
    }

    @Test(
        "SEC-2: an upload whose connection ends early does not count as a call", .timeLimit(.minutes(15)))
    func half() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let started = device
            let one = RequestRates(perDevice: 1, limitsLoopback: false)
            try await StillConnection.run(on: server, rates: one) { connection in
                let services = connection.services
                let now = server.clock.now
                let caller = Caller(
                    app: try await services.apps.find("shop"), client: try DeviceID(started.id), state: nil,
                    token: started.contactToken, order: .init(header: nil, now: now, maximumAhead: 300)
                )
                let shown = try #require(services.authentication.installation(shownBy: caller))
                try await connection.receive(Array(Self.upload("e1", started).dropLast(1)))
                #expect(!services.limits.grants(caller.client, of: caller.app, showing: shown))
                try await connection.channel.close().get()
                #expect(await connection.isOpen == false)
                #expect(services.limits.grants(caller.client, of: caller.app, showing: shown))
            }
        }
    }

    @Test("WIRE-6, EVT-3: a client that is gone when its write is done affects nobody else", .timeLimit(.minutes(15)))
    func gone() async throws {
        try await Self.run { connection, _, device in
            connection.database.hold()
            try await connection.receive(Self.upload("e1", device) + Self.upload("e2", device))
            try await connection.channel.close().get()
            try await connection.database.letGo()
            #expect(try await connection.written().isEmpty)
            #expect(try await device.events().map(\.id).contains("e1"))
        }
    }
}
