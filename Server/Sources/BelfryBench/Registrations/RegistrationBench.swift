import ArgumentParser
import ServiceLifecycle

/// Runs the two parts of `belfry bench registration`: at full speed, and at a fixed rate.
struct RegistrationBench: Service {
    private static let app = "bench"
    /// The number of devices whose empty uploads measure the express lane, in turn.
    private static let laneCallers = 1_000
    /// The duration of the second part in seconds.
    static let pacedSeconds = 10

    let wrk: Wrk
    let rounds: Int
    let seconds: Int
    let devices: Int
    let perSecond: Int
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // The figures mean nothing if the server refused requests.
        if report.non2xx > 0 { throw ExitCode.failure }
    }

    private func report() async throws -> RegistrationBenchReport {
        try await withServer(on: .sqlite) { app, table in
            let figures = try await rounds(app, table, laneCallers: app.link(Self.laneCallers))
            return RegistrationBenchReport(figures, paced: try await pace(app, table), devices: devices)
        }
    }

    /// Runs only the rounds at full speed, without measuring the express lane.
    func rounds(on engine: BenchEngine) async throws -> [RegistrationBenchReport.Round] {
        try await withServer(on: engine) { try await rounds($0, $1, laneCallers: nil) }
    }

    private func withServer<Value>(
        on engine: BenchEngine, _ body: (BenchApp, RegistrationTable) async throws -> Value
    ) async throws -> Value {
        try await BenchServer.run(on: engine) { server in
            try await BenchHTTP.run { http in
                let app = try await BenchApp.make(
                    Self.app, attributes: BenchRegistration.attributes, on: server, over: http
                )
                return try await server.database.opened { try await body(app, RegistrationTable(database: $0)) }
            }
        }
    }

    private func rounds(
        _ app: BenchApp, _ table: RegistrationTable, laneCallers: [BenchDevice]?
    ) async throws -> [RegistrationBenchReport.Round] {
        try await RegistrationRounds(
            wrk: wrk, rounds: rounds, seconds: seconds, devices: devices, app: app, table: table,
            yardsticks: Yardsticks(wrk, laneCallers: laneCallers, on: app.server, over: app.http)
        ).run()
    }

    private func pace(_ app: BenchApp, _ table: RegistrationTable) async throws -> RegistrationBenchReport.Paced {
        let devices = try await app.link(perSecond * Self.pacedSeconds)
        let load = PacedRegistrations(
            registrations: try BenchRegistration.firsts(of: devices), perSecond: perSecond,
            address: app.server.address, http: app.http
        )
        let last = try await table.newest()
        let (outcome, drained, greatestAge) = try await send(load, watching: table)
        let entries = try await table.entries(after: last)
        let stored = Set(entries.map(\.id))
        guard outcome.acknowledged.isSubset(of: stored) else {
            throw RegistrationBenchError.lost(
                acknowledged: outcome.acknowledged.count,
                stored: outcome.acknowledged.intersection(stored).count
            )
        }
        try entries.checkProcessed()
        return .init(
            entries, requestedPerSecond: perSecond, failed: outcome.failed, greatestAge: greatestAge, drained: drained
        )
    }

    /// Sends all registrations and waits until they are processed. Meanwhile it watches the age of the oldest pending
    /// one.
    private func send(
        _ load: PacedRegistrations, watching table: RegistrationTable
    ) async throws -> (outcome: PacedRegistrations.Outcome, drained: Duration, greatestAge: Int64) {
        try await withThrowingTaskGroup(of: Int64.self) { group in
            group.addTask { try await table.greatestAge() }
            let outcome = try await load.run()
            let drained = try await table.drained()
            group.cancelAll()
            let greatestAge = try await group.next() ?? 0
            return (outcome: outcome, drained: drained, greatestAge: greatestAge)
        }
    }
}
