import ArgumentParser
import Foundation
import ServiceLifecycle

/// Runs the rounds of `belfry bench intake`.
struct IngestionBench: Service {
    private static let app = "bench"
    /// The seconds of each warm-up measurement, which does not count.
    private static let warmUp = 1

    let wrk: Wrk
    let eventsPerRequest: Int
    let devices: Int
    let rounds: Int
    let seconds: Int
    /// Whether empty uploads on the express lane are measured too.
    let measuresLane: Bool
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // The figures mean nothing if the server refused requests.
        if report.non2xx > 0 { throw ExitCode.failure }
    }

    /// Returns the figures of one run.
    ///
    /// - Parameter engine: the database engine of the server.
    func report(on engine: BenchEngine = .sqlite) async throws -> IngestionBenchReport {
        try await BenchServer.run(on: engine) { server in
            try await BenchHTTP.run { http in
                let app = try await BenchApp.make(Self.app, on: server, over: http)
                let linked = try await app.link(devices)
                return try await measure(linked, on: server, over: http)
            }
        }
    }

    private func measure(
        _ devices: [BenchDevice], on server: BenchServer, over http: BenchHTTP
    ) async throws -> IngestionBenchReport {
        let files = try write(devices, server)
        let yardsticks = try Yardsticks(wrk, laneCallers: measuresLane ? devices : nil, on: server, over: http)
        var figures: [IngestionBenchReport.Round] = []
        var acknowledged: [Int] = []
        for number in 0...rounds {
            let seconds = number == 0 ? Self.warmUp : self.seconds
            let yardstick = try await yardsticks.measure(round: number, seconds: seconds)
            let intake = try await wrk.run(
                server.address, seconds: seconds, script: files.events,
                arguments: [Self.name(ofRound: number), files.heads.path]
            )
            acknowledged.append(intake.answeredWell * eventsPerRequest)
            guard number > 0 else { continue }
            figures.append(.init(yardstick, intake: intake, eventsPerRequest: eventsPerRequest))
        }
        try await BenchStoredEvents(server: server, http: http).check(
            acknowledged, newestRound: Self.name(ofRound: rounds), of: devices
        )
        return IngestionBenchReport(figures, eventsPerRequest: eventsPerRequest, devices: devices.count)
    }

    /// The prefix of a round's event ids, different for each round. All prefixes have the same length, so that ids sort
    /// by round.
    private static func name(ofRound number: Int) -> String { String(format: "r%03d", number) }

    /// Writes the script that wrk runs and the file that it reads.
    private func write(
        _ devices: [BenchDevice], _ server: BenchServer
    ) throws -> (events: URL, heads: URL) {
        let now = Date()
        let heads = server.folder.appending(path: "heads")
        try PreparedTexts.file(
            devices.map { Data($0.head(of: "events", to: server.authority, order: now).utf8) }
        ).write(to: heads)
        let events = server.folder.appending(path: "events.lua")
        let text = EventsScript.text(eventsPerRequest: eventsPerRequest, threads: wrk.threads, at: now)
        try Data((text + Wrk.reporting).utf8).write(to: events)
        return (events, heads)
    }
}
