import BelfrySimulators
import Foundation
import Testing

@Suite("An app is killed while it tracks")
struct KillTrackingTests {
    static let kills = RunSettings.kills(50, brief: 6)
    /// Events of one run; a kill comes long before the last.
    static let events = 3_000
    /// No server listens there: the app is offline.
    static let nowhere = "http://127.0.0.1:9"

    @Test(
        "EVT-1, EVT-3: kill -9 of the app loses no event whose track returned, and none counts twice",
        .timeLimit(.minutes(kills > 6 ? 60 : 30))
    )
    func trackedEventsSurvive() async throws {
        let seed = RunSettings.seed
        print("EVT-3: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        var random = SimulatorRandom(seed: seed)
        try await withStage { stage in
            try await stage.withServer { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                var app = TrackingApp(stage: stage)
                for kill in 1...Self.kills {
                    let moment = Int.random(in: 0...300, using: &random)
                    let steps = Int.random(in: 0...400, using: &random)
                    // Every other run uploads while it is killed.
                    let address = kill.isMultiple(of: 2) ? server.address : Self.nowhere
                    try await app.track(
                        "run\(kill)", to: address, count: Self.events, killedWhenReached: moment, andThen: steps
                    )
                }
                let said = app.said
                #expect(said.values.contains { $0 > 0 }, "it tracked nothing. Seed \(seed)")
                try await app.upload(to: server.address) { device in
                    try await check(said, of: device, admin, "Seed \(seed).")
                }
                #expect(app.devices.count == 1, "the installation changed: \(app.devices). Seed \(seed)")
            }
        }
    }

    /// Every reported event is stored, once and without a gap. There may be more: the app may die before it reports an
    /// event.
    private func check(_ said: [String: Int], of device: String, _ admin: AdminCaller, _ context: String) async throws {
        let wanted = Set(said.flatMap { run, last in (0..<last).map { "\(run)-\($0 + 1)" } })
        let stored = try await eventually("every event that the app tracked is stored. \(context)") {
            // Until the device has spoken to the server for the first time, nobody knows it there.
            let events = (try? await admin.events(of: device)) ?? []
            return events.map(\.name).filter { $0.hasPrefix("run") }
        } until: {
            wanted.isSubset(of: $0)
        }
        let counts = Dictionary(stored.map { ($0, 1) }, uniquingKeysWith: +)
        let repeated = counts.filter { $0.value > 1 }
        #expect(repeated.isEmpty, "stored more than once: \(repeated). \(context)")
        for (run, last) in said {
            let numbers = counts.keys.filter { $0.hasPrefix("\(run)-") }.compactMap { name in
                name.split(separator: "-").last.flatMap { Int($0) }
            }
            let unbroken = Set(stride(from: 1, through: numbers.count, by: 1))
            #expect(Set(numbers) == unbroken, "\(run) has a gap. \(context)")
            #expect(numbers.count >= last, "\(run) said \(last) and \(numbers.count) are there. \(context)")
        }
    }
}
