import ArgumentParser
import BelfryModel
import Foundation
import ServiceLifecycle

/// The rounds of `belfry bench intake`.
struct IntakeBench: Service {
    private static let app = "bench"
    /// Seconds for each of the two before anything counts.
    private static let warmUp = 1

    let wrk: Wrk
    let eventsPerRequest: Int
    let rounds: Int
    let seconds: Int
    let json: Bool

    func run() async throws {
        let report = try await BenchServer.run { server in
            let script = try await script(server)
            var figures: [IntakeBenchReport.Round] = []
            var acknowledged = 0
            for number in 0...rounds {
                let seconds = number == 0 ? Self.warmUp : seconds
                let healthz = try await wrk.run(
                    "\(server.address)/healthz", seconds: seconds, script: script.reportOnly
                )
                let intake = try await wrk.run(
                    server.address, seconds: seconds, script: script.events,
                    // The first part of every id, so that no two rounds share one.
                    arguments: ["r\(number)"]
                )
                acknowledged += intake.answeredWell * eventsPerRequest
                guard number > 0 else { continue }
                figures.append(.init(healthz: healthz, intake: intake, eventsPerRequest: eventsPerRequest))
            }
            try await script.device.checkStored(
                atLeast: acknowledged, fromRound: "r\(rounds)", eventsPerRequest: eventsPerRequest, server
            )
            return IntakeBenchReport(figures, eventsPerRequest: eventsPerRequest)
        }
        print(json ? try report.json() : report.table)
        // Figures of a server that refuses are no figures.
        if report.non2xx > 0 { throw ExitCode.failure }
    }

    /// Makes the app, links the device, and writes what wrk runs.
    private func script(
        _ server: BenchServer
    ) async throws -> (device: BenchDevice, events: URL, reportOnly: URL) {
        let device = try await BenchDevice.link(app: Self.app, server)
        let reportOnly = server.folder.appending(path: "report.lua")
        try Data(Wrk.reporting.utf8).write(to: reportOnly)
        let events = server.folder.appending(path: "events.lua")
        let text = device.eventsScript(eventsPerRequest: eventsPerRequest, at: Date())
        try Data((text + Wrk.reporting).utf8).write(to: events)
        return (device, events, reportOnly)
    }
}
