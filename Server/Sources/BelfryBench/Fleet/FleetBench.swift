import BelfryCommand
import ServiceLifecycle

/// Runs `belfry bench fleet`: the same work of the same fleet, on one engine after the other (FLEET-8).
struct FleetBench: Service {
    let shape: FleetShape
    let engines: [BenchEngine]
    /// The sink for pushes. Without one there are no campaigns.
    let push: BenchPushSink?
    let json: Bool

    func run() async throws {
        var figures: [FleetBenchReport.Engine] = []
        for engine in engines { figures.append(try await measure(engine)) }
        let report = FleetBenchReport(shape, engines: figures)
        Console.say(json ? try report.jsonLine() : report.table)
    }

    private func measure(_ engine: BenchEngine) async throws -> FleetBenchReport.Engine {
        let isSynced = try engine.isSynced()
        return try await BenchServer.run(on: engine) { server in
            try await BenchHTTP.run { http in
                let app = try await BenchApp.make(
                    FleetLife.app, attributes: BenchRegistration.attributes, on: server, over: http
                )
                try await push?.connect(app.code, by: server.admin)
                let meter = try EngineMeter(server)
                return try await FleetLife(app: app, shape: shape, hasSink: push != nil, meter: meter)
                    .run(isSynced: isSynced)
            }
        }
    }
}

enum FleetBenchError: Error, CustomStringConvertible {
    case notProcessed(Int, of: Int)
    case notAccepted(Int, of: Int)
    case wrongMessages(Int, expected: Int)
    case wrongCounts
    case notPlanned

    var description: String {
        switch self {
        case .notProcessed(let count, let all): "\(count) of \(all) registrations were not processed as expected."
        case .notAccepted(let count, let all): "\(count) of \(all) devices of a campaign did not get their push."
        case .wrongMessages(let count, let expected): "A message center has \(count) messages instead of \(expected)."
        case .wrongCounts: "Counts of the same audience differ, or nobody is in it."
        case .notPlanned: "The in-app campaigns did not find their audience within ten minutes."
        }
    }
}
