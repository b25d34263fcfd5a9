import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Rejections by something between a device and its server: a firewall, a hotspot, a proxy. None comes from Belfry.
struct ForeignResponseTests {
    private static let statuses = [400, 401, 403, 404, 405, 407, 410, 413, 415, 422, 451, 511]

    private static func page(_ status: Int) -> TransportResponse {
        TransportResponse(
            status: status, headers: ["Content-Type": "text/html"], body: Data("<html>\(status)</html>".utf8)
        )
    }

    @Test(
        "EVT-4, REG-6, ID-3, ID-6: a 4xx without an error body loses nothing, in any call",
        arguments: statuses)
    func everyCall(status: Int) async throws {
        let world = try World()
        let isUp = Locked(false)
        world.wire.decide { _ in isUp.withLock { $0 } ? .delivered : .answered(Self.page(status)) }
        var client = try await world.start()
        try await client.setPushToken("abcdef", environment: .production)
        try await client.identify(contactKey: "anna")
        for number in 0..<3 {
            try await client.track("event \(number)")
            // Each call meets it at least once; later calls are reached between two bad periods.
            try await client.flush()
            try await world.advance(by: 60)
            isUp.withLock { $0 = true }
            try await world.advance(by: 120)
            isUp.withLock { $0 = false }
            try await client.edit { $0.addTag("tag \(number)") }
            await world.server.expireTokens()
            try await client.flush()
            client = try await world.restart()
        }
        isUp.withLock { $0 = true }
        try await client.networkReturns()
        for _ in 0..<20 {
            try await world.advance(by: 300)
        }
        #expect(await world.server.tracked.map(\.name) == ["event 0", "event 1", "event 2"])
        #expect(await world.server.tracked.allSatisfy { $0.contact == "anna" })
        #expect(await world.server.contact == "anna")
        #expect(await world.server.pushToken == "abcdef")
        #expect(await world.server.snapshots.last?.tags == ["tag 0", "tag 1", "tag 2"])
        // One link is enough, because the refresh token was never discarded.
        #expect(await world.server.count("POST /client/contact") == 1)
        #expect(await world.server.count("POST /client/contact?anonymous=true") == 0)
        #expect(try await client.state().queue.setAside == 0)
        await world.kill()
    }

    @Test("EVT-4: a proxy with a lower limit gets smaller batches; an event too large for it stays")
    func smallProxy() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        world.wire.decide { attempt in
            (attempt.request.body?.count ?? 0) > 4_000 ? .answered(Self.page(413)) : .delivered
        }
        for number in 0..<60 {
            try await client.track("event \(number)")
        }
        try await client.track("large", attributes: ["text": .string(String(repeating: "x", count: 5_000))])
        try await client.flush()
        try await world.advance(by: 3_600)
        #expect(await world.server.tracked.map(\.name) == (0..<60).map { "event \($0)" })
        #expect(try await client.state().queue.count == 1)
        #expect(try await client.state().queue.setAside == 0)
        world.wire.decide { _ in .delivered }
        try await world.advance(by: 3_600)
        #expect(await world.server.tracked.last?.name == "large")
        await world.kill()
    }

    @Test("ID-3, ID-6, REG-6: an app that the server does not know yet loses nothing, and is reported once")
    func unknownApp() async throws {
        let world = try World()
        let isKnown = Locked(false)
        let unknown = FakeServer.error(400, ErrorCode.unknownApp)
        world.wire.decide { _ in isKnown.withLock { $0 } ? .delivered : .answered(unknown) }
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.track("early")
        for _ in 0..<10 {
            try await world.advance(by: 600)
        }
        isKnown.withLock { $0 = true }
        for _ in 0..<4 {
            try await world.advance(by: 900)
        }
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        isKnown.withLock { $0 = false }
        try await client.track("late")
        try await client.flush()
        await world.server.expireTokens()
        isKnown.withLock { $0 = true }
        for _ in 0..<4 {
            try await world.advance(by: 900)
        }
        #expect(await world.server.tracked.map(\.name) == ["early", "late"])
        #expect(await world.server.count("POST /client/contact") == 1)
        await world.kill()
        let made = await reports(of: client)
        let codes = made.map { report in
            switch report {
            case .propertiesRefused(let failure): "properties \(failure.code ?? "")"
            case .eventsRefused(let failure): "events \(failure.code ?? "")"
            default: "\(report)"
            }
        }
        #expect(codes == ["properties unknownApp", "events unknownApp"])
    }

    @Test("EVT-4: when a server refuses every event they stay on the device, and the app is told")
    func allRejected() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let names = (0..<30).map { "poison \($0)" }
        await world.server.set(poison: Set(names))
        for name in names {
            try await client.track(name)
        }
        try await client.flush()
        for _ in 0..<96 {
            try await world.advance(by: 900)
        }
        let queue = try await client.state().queue
        #expect(queue.setAside == UploadRules.maximumDeadLettersInARow)
        #expect(queue.count == 30 - UploadRules.maximumDeadLettersInARow)
        await world.server.set()
        // It is tried daily by now (EVT-5).
        for _ in 0..<192 {
            try await world.advance(by: 900)
        }
        #expect(await world.server.tracked.map(\.name) == Array(names.dropFirst(UploadRules.maximumDeadLettersInARow)))
        await world.kill()
        let isReported = await reports(of: client).contains { report in
            if case .eventsRefused = report { true } else { false }
        }
        #expect(isReported)
    }
}
