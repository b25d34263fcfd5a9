import BelfryWire
import Foundation
import NIOCore
import Testing

@testable import BelfryAPI

@Suite("Bodies that never become complete")
struct BodyMemoryTests {
    /// A call that needs no token, all of whose body but the last byte is there.
    private static func unfinished(_ number: Int) -> [UInt8] {
        let length = WireLimits.maximumBodyBytes
        let head =
            "POST /v3/apps/shop/client HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "X-Client-Id: 6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F\(1_000 + number)\r\nContent-Length: \(length)\r\n\r\n"
        return Array(head.utf8) + Array(repeating: 0x20, count: length - 1)
    }

    /// On a machine with much else to do hundreds of megabytes take minutes: no body is late meanwhile.
    private static var patient: ConnectionRules.Settings {
        var settings = ConnectionRules.Settings()
        settings.bodyPatience = .hours(1)
        return settings
    }

    private static func flood(_ server: TestServer, _ numbers: Range<Int>) async throws -> [WireConnection] {
        var connections: [WireConnection] = []
        for number in numbers {
            let connection = try await WireConnection.open(to: server)
            // A connection that was asked to end meanwhile is not waited for.
            try? await connection.send(unfinished(number))
            connections.append(connection)
            let held = server.rules.bodies.bytes
            #expect(held.unauthenticated <= 64 * 1_048_576)
        }
        return connections
    }

    /// Waits until so many connections have their response, and takes these.
    private static func answers(_ count: Int, of connections: [WireConnection]) async -> [WireResponse?] {
        await withTaskGroup(of: WireResponse?.self) { group in
            for connection in connections { group.addTask { await connection.next() } }
            var answers: [WireResponse?] = []
            while answers.count < count, let response = await group.next() { answers.append(response) }
            for connection in connections { await connection.close() }
            return answers
        }
    }

    @Test(
        "SEC-12: 300 incomplete unauthenticated bodies hold 64 MiB; complete requests are still served",
        .timeLimit(.minutes(15)), arguments: [ServerWay.lane, .socket]
    )
    func unauthenticated(way: ServerWay) async throws {
        try await TestServer.run(connections: Self.patient, over: way) { server in
            try await server.makeApp()
            let connections = try await Self.flood(server, 0..<300)
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.track(EventTests.event("e1")).status == .noContent)
            let fit = 64 * 1_048_576 / BodyBudget.charge(forBytes: WireLimits.maximumBodyBytes - 1)
            let answers = await Self.answers(300 - fit, of: connections)
            for response in answers {
                #expect(response?.status == 503)
                #expect(response?.fields.contains("retry-after: 5") == true)
                #expect(response?.isLast == true)
            }
            #expect(server.rules.bodies.bytes.unauthenticated <= 64 * 1_048_576)
            let metrics = server.services.metrics.prometheusText()
            #expect(metrics.contains("belfry_connections_ended_total{cause=\"bodies\"}"))
        }
    }

    @Test(
        "SEC-12: unauthenticated callers do not take the memory of authenticated ones, whose uploads complete",
        .timeLimit(.minutes(15)), arguments: [ServerWay.lane, .socket]
    )
    func known(way: ServerWay) async throws {
        var settings = Self.patient
        settings.bodyMemory = ConnectionRules.Settings.minimumBodyMemory
        try await TestServer.run(connections: settings, over: way) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var request = WireRequest(
                "/client/events", #"{"events":[\#(EventTests.event("e1"))]}"#, by: device,
                order: server.clock.now.milliseconds
            )
            request.body += Array(repeating: 0x20, count: 100_000)
            let upload = try await WireConnection.open(to: server)
            try await upload.send(Array(request.bytes.dropLast()))
            let connections = try await Self.flood(server, 0..<40)
            let answers = await Self.answers(37, of: connections)
            #expect(answers.allSatisfy { $0?.status == 503 })
            #expect(server.rules.bodies.bytes.known == BodyBudget.charge(forBytes: request.body.count - 1))
            try await upload.send(Array(request.bytes.suffix(1)))
            #expect(await upload.next()?.status == 204)
            #expect(server.rules.bodies.bytes.known == 0)
            await upload.close()
        }
    }

    @Test("SEC-12: a token counts by its signature and its expiry, the root key as it is, and nothing else")
    func standing() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let token = try #require(device.contactToken)
            #expect(server.rules.knows([.contactToken: token]))
            #expect(!server.rules.knows([.contactToken: String(token.dropLast(4)) + "AAAA"]))
            #expect(!server.rules.knows([.contactToken: ""]) && !server.rules.knows([:]))
            #expect(server.rules.knows([.authorization: "Bearer \(TestServer.rootKey)"]))
            #expect(!server.rules.knows([.authorization: "Bearer \(key)"]))
            #expect(!server.rules.knows([.authorization: TestServer.rootKey]))
            server.clock.advance(by: 9 * 3_600)
            #expect(!server.rules.knows([.contactToken: token]))
        }
    }
}
