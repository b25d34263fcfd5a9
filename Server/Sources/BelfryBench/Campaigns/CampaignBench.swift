import ArgumentParser
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel
import ServiceLifecycle

/// Runs `belfry bench campaign`, which has one round.
struct CampaignBench: Service {
    private static let app = "bench"

    let devices: Int
    let sink: String
    let trustRoots: String
    let h2load: Bool
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // The speed means nothing unless every device's push was accepted.
        if report.accepted != devices { throw ExitCode.failure }
    }

    /// Returns the figures of one run.
    ///
    /// - Parameter engine: the database engine of the server.
    func report(on engine: BenchEngine = .sqlite) async throws -> CampaignBenchReport {
        try await BenchServer.run(on: engine) { server in
            try await setUp(server)
            try await BenchAudience(database: server.database).write(devices, app: Self.app)
            return try await measure(server)
        }
    }

    private func setUp(_ server: BenchServer) async throws {
        _ = try await server.admin.call(
            AppRoutes.createApp, body: CreateAppRequest(code: Self.app, name: Self.app)
        )
        for name in BenchAudience.attributes {
            _ = try await server.admin.call(
                AttributeRoutes.defineAttribute, Self.app, name, body: DefineAttributeRequest(type: .string)
            )
        }
        try await BenchPushSink(address: sink, trustRoots: trustRoots).connect(Self.app, by: server.admin)
    }

    private func measure(_ server: BenchServer) async throws -> CampaignBenchReport {
        let campaign = try await BenchCampaign.draft(
            CampaignRequest(
                name: "Bench", kind: .push, audience: .attribute("city", .exists(true)),
                push: PushContent(
                    title: "Good news, {{firstName}}", body: "There is something new in {{city}}. Have a look at it.",
                    action: NotificationAction(type: .openUrl, url: "bench://news")
                )
            ), app: Self.app, by: server.admin
        )
        let reference = try await H2LoadComparison.measure(h2load, "\(try BenchSink(sink).base)/3/device/abc")
        let resting = ChildCost.residentBytes(of: server.process)
        let cpuBefore = ChildCost.cpuSeconds(of: server.process)
        let clock = ContinuousClock()
        let begin = clock.now
        try await campaign.launch()
        try await campaign.completed()
        let taken = clock.now - begin
        let cpuAfter = ChildCost.cpuSeconds(of: server.process)
        // These sums over the ledger belong to the report, so they are read after the campaign's time.
        let counts = try await campaign.counts()
        return CampaignBenchReport(
            counts: counts, seconds: taken.inSeconds,
            cpuSeconds: zip(cpuAfter, cpuBefore).map { $0 - $1 }, restingBytes: resting,
            peakBytes: ChildCost.peakResidentBytes(of: server.process), reference: reference
        )
    }
}

/// Both values, or nil when one is missing.
private func zip<A, B>(_ first: A?, _ second: B?) -> (A, B)? {
    guard let first, let second else { return nil }
    return (first, second)
}

enum CampaignBenchError: Error, CustomStringConvertible {
    case stopped(String)
    case tookTooLong

    var description: String {
        switch self {
        case .stopped(let status): "The campaign was not completed: it is \(status)."
        case .tookTooLong: "The campaign did not end within an hour."
        }
    }
}
