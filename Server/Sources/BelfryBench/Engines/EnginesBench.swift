import ArgumentParser
import BelfryModel
import ServiceLifecycle

/// Runs the benchmarks of `belfry bench engines`, each on one engine after the other.
struct EnginesBench: Service {
    /// The number of messages when all message centers that an app may have are full.
    static let messagesOfDevice = (1 + MessageCenterLimits.maximumCustom) * MessageCenterLimits.messagesPerCenter

    let command: BenchEnginesCommand
    let wrk: Wrk
    /// The certificates to trust for the sink, in PEM.
    let trustRoots: String?

    func run() async throws {
        let postgres = BenchEngine.postgres(command.database, connections: command.databaseConnections)
        let isSynced = try postgres.isSynced()
        var figures: [EnginesBenchReport.Figure] = []
        for work in EnginesBenchReport.Work.allCases {
            guard let sqlite = try await measure(work, on: .sqlite),
                let shared = try await measure(work, on: postgres)
            else { continue }
            figures.append(.init(work: work, sqlite: sqlite, postgres: shared))
        }
        let report = EnginesBenchReport(figures: figures, isSynced: isSynced)
        print(command.json ? try report.jsonLine() : report.table)
    }

    /// How many operations of this work an engine does per second; nil when this work was not requested.
    private func measure(_ work: EnginesBenchReport.Work, on engine: BenchEngine) async throws -> Double? {
        switch work {
        case .oneEvent: return try await events(1, on: engine)
        case .fiftyEvents: return try await events(50, on: engine)
        case .fetches:
            let shape = MessageCenterShape(
                messages: command.messages, centers: 1 + MessageCenterLimits.maximumCustom, devices: command.devices
            )
            let report = try await MessageCenterBench(turns: turns, shape: shape, fetch: .primary, json: false)
                .report(on: engine)
            return try Self.figure(report.fetchesPerSecond, failed: report.non2xx, work)
        case .syncs:
            let report = try await InAppBench(turns: turns, devices: command.devices, campaigns: 10, json: false)
                .report(on: engine)
            return try Self.figure(report.fetchesPerSecond, failed: report.non2xx, work)
        case .registrations:
            let rounds = try await RegistrationBench(
                wrk: wrk, rounds: command.rounds, seconds: command.seconds, devices: command.registrations,
                perSecond: 1, json: false
            ).rounds(on: engine)
            return try Self.figure(
                rounds.map(\.registrationsPerSecond).median, failed: rounds.map(\.non2xx).reduce(0, +), work
            )
        case .campaign:
            guard let sink = command.sink, let trustRoots else { return nil }
            let report = try await CampaignBench(
                devices: command.campaignDevices, sink: sink, trustRoots: trustRoots, h2load: false, json: false
            ).report(on: engine)
            return try Self.figure(report.perSecond, failed: report.devices - report.accepted, work)
        }
    }

    private func events(_ count: Int, on engine: BenchEngine) async throws -> Double {
        let report = try await IngestionBench(
            wrk: wrk, eventsPerRequest: count, devices: command.devices, rounds: command.rounds,
            seconds: command.seconds, measuresLane: false, json: false
        ).report(on: engine)
        return try Self.figure(report.eventsPerSecond, failed: report.non2xx, count == 1 ? .oneEvent : .fiftyEvents)
    }

    private var turns: FetchTurns {
        FetchTurns(wrk: wrk, rounds: command.rounds, seconds: command.seconds, measuresLane: false)
    }

    /// The rate, unless the server refused requests: then it means nothing.
    private static func figure(
        _ perSecond: Double, failed: Int, _ work: EnginesBenchReport.Work
    ) throws(EnginesBenchError) -> Double {
        guard failed == 0 else { throw .rejected(work, failed) }
        return perSecond
    }
}

enum EnginesBenchError: Error, CustomStringConvertible {
    case rejected(EnginesBenchReport.Work, Int)

    var description: String {
        switch self {
        case .rejected(let work, let count): "\(work.name): \(count) requests were refused, or not answered."
        }
    }
}
