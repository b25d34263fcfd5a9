import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryAPI

/// WIRE-6, WIRE-7: the lane and the router are one server. Whatever is sent, both answer alike and store alike.
@Suite("The express lane compared with the router")
struct ExpressTwinTests {
    private static let casesPerSeed = 300

    @Test(
        "WIRE-6, WIRE-7, WIRE-23: thousands of uploads, valid and invalid, have the same results both ways",
        // Two SQLite files number their rows alike; PostgreSQL's sequences have gaps wherever two transactions met.
        .enabled(if: Engine.ofThisRun == .sqlite), .timeLimit(.minutes(30)), arguments: Endurance.seeds(8, brief: 2)
    )
    func alike(seed: UInt64) async throws {
        try await Twins.run { twins in
            let cast = try await twins.both { try await UploadCast(on: $0) }
            try #require(cast.lane == cast.plain)
            // Settings that the cast has changed are seen from here on.
            twins.advance(by: 2)
            var dice = UploadDice(seed: seed, cast: cast.lane)
            var connections = try await TwinConnections.open(to: twins)
            var express = 0
            for index in 0..<Self.casesPerSeed {
                let request = dice.request(now: twins.lane.clock.now.milliseconds)
                let what: Comment =
                    "seed \(seed), case \(index): \(String(decoding: request.bytes.prefix(1_500), as: UTF8.self))"
                let bytes = request.bytes
                let responses = try await connections.both { connection in
                    try await connection.send(bytes)
                    return await connection.next()
                }
                #expect(responses.lane?.timeless == responses.plain?.timeless, what)
                #expect(responses.plain?.isExpress(of: twins.plain) != true, what)
                if responses.lane?.isExpress(of: twins.lane) == true { express += 1 }
                if request.isLast || responses.lane?.isLast != false {
                    try await Self.expectEnd(of: connections, what)
                    connections = try await TwinConnections.open(to: twins)
                }
                try await Self.passTime(&dice, twins, what)
            }
            try await Self.expectSameEnd(twins, seed: seed)
            // The lane must take more than a few requests, and the test must also contain requests that it does not
            // take.
            #expect((Self.casesPerSeed / 12..<Self.casesPerSeed).contains(express), "\(express)")
            await connections.close()
        }
    }

    private static func expectEnd(of connections: TwinConnections, _ comment: Comment) async throws {
        let further = try await connections.both { await $0.next() }
        #expect(further.lane == nil && further.plain == nil, comment)
    }

    /// Now and then registrations are processed, time continues, and the databases are compared.
    private static func passTime(_ dice: inout UploadDice, _ twins: Twins, _ comment: Comment) async throws {
        if dice.chance(1, of: 25) {
            let processed = try await twins.both { try await $0.registrations.processWaiting() }
            #expect(processed.lane == processed.plain, comment)
        }
        if dice.chance(1, of: 40) { twins.advance(by: 2) }
        if dice.chance(1, of: 30) { try await twins.expectSameContents(comment) }
    }

    private static func expectSameEnd(_ twins: Twins, seed: UInt64) async throws {
        _ = try await twins.both { server in
            while try await server.registrations.processWaiting() > 0 {}
        }
        try await twins.expectSameContents("seed \(seed)")
        let metrics = try await twins.both { try await $0.call(.get, "/metrics").text }
        let (lane, plain) = (Self.parted(metrics.lane), Self.parted(metrics.plain))
        #expect(lane.others == plain.others, "seed \(seed)")
        // FLEET-11: whoever answers a call, it is counted once.
        #expect(lane.calls == plain.calls && plain.calls > 0, "seed \(seed)")
    }

    /// How many calls were answered, and the metrics that do not say by whom.
    private static func parted(_ metrics: String) -> (calls: Int, others: [Substring]) {
        let counters = [RequestMeters.responses, ExpressMeters.requests]
        let durations = [RequestMeters.duration, ExpressMeters.duration]
        var calls = 0
        var others: [Substring] = []
        for line in metrics.split(separator: "\n") {
            if counters.contains(where: { line.hasPrefix("\($0){") }) {
                calls += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
            } else if !(counters + durations).contains(where: line.contains) {
                others.append(line)
            }
        }
        return (calls, others)
    }
}
