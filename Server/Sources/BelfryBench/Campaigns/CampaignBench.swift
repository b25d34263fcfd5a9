import ArgumentParser
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel
import Crypto
import Foundation
import ServiceLifecycle

/// The one round of `belfry bench campaign`.
struct CampaignBench: Service {
    private static let app = "bench"
    /// Between two looks at the campaign.
    private static let glance = Duration.milliseconds(50)
    private static let patience = Duration.seconds(3_600)

    let devices: Int
    let sink: String
    let trustRoots: String
    let h2load: Bool
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // A campaign that does not reach everybody has no speed.
        if report.accepted != devices { throw ExitCode.failure }
    }

    /// What one run gave.
    ///
    /// - Parameter engine: what the server stores in.
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
        _ = try await server.admin.call(
            CredentialRoutes.putAPNsCredentials, Self.app,
            body: APNsCredentialsRequest(
                teamId: "BENCHTEAM1", keyId: "BENCHKEY01", topic: "com.example.bench",
                privateKey: P256.Signing.PrivateKey().pemRepresentation, endpoint: sink, trustRoots: trustRoots
            )
        )
    }

    private func measure(_ server: BenchServer) async throws -> CampaignBenchReport {
        let draft: CampaignStatusResponse = try await server.admin.call(
            CampaignRoutes.createCampaign, Self.app,
            body: CampaignRequest(
                name: "Bench", kind: .push, audience: .attribute("city", .exists(true)),
                push: PushContent(
                    title: "Good news, {{firstName}}", body: "There is something new in {{city}}. Have a look at it.",
                    action: NotificationAction(type: .openUrl, url: "bench://news")
                )
            )
        )
        let reference = try await H2LoadComparison.measure(h2load, "\(try BenchSink(sink).base)/3/device/abc")
        let resting = ChildCost.residentBytes(of: server.process)
        let cpuBefore = ChildCost.cpuSeconds(of: server.process)
        let clock = ContinuousClock()
        let begin = clock.now
        _ = try await server.admin.call(CampaignRoutes.launchCampaign, Self.app, draft.id)
        try await completed(server.admin)
        let taken = clock.now - begin
        let cpuAfter = ChildCost.cpuSeconds(of: server.process)
        // Its counts are sums over the ledger, which are the report's and no part of the campaign.
        let answer: CampaignResponse = try await server.admin.call(CampaignRoutes.readCampaign, Self.app, draft.id)
        return CampaignBenchReport(
            counts: answer.counts, seconds: taken.inSeconds,
            cpuSeconds: zip(cpuAfter, cpuBefore).map { $0 - $1 }, restingBytes: resting,
            peakBytes: ChildCost.peakResidentBytes(of: server.process), reference: reference
        )
    }

    /// Returns when the campaign is completed.
    private func completed(_ admin: AdminClient) async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        while clock.now - begin < Self.patience {
            // Its row alone: the counts would slow it down.
            let list: CampaignListResponse = try await admin.call(
                CampaignRoutes.listCampaigns, Self.app, query: "limit=1")
            switch list.campaigns.first?.status {
            case .completed: return
            case .sending: try await clock.sleep(for: Self.glance)
            case let status: throw CampaignBenchError.stopped(status.map(\.rawValue) ?? "gone")
            }
        }
        throw CampaignBenchError.tookTooLong
    }
}

/// Both values, if there are both.
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
