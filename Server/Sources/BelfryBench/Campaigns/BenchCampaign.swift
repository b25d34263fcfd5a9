import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel
import Crypto

/// A campaign for a benchmark, from its draft to its end.
struct BenchCampaign: Sendable {
    /// The time between two checks of its status.
    private static let glance = Duration.milliseconds(50)
    private static let patience = Duration.seconds(3_600)

    let id: String
    let app: String
    let admin: AdminClient

    static func draft(_ request: CampaignRequest, app: String, by admin: AdminClient) async throws -> BenchCampaign {
        let draft: CampaignStatusResponse = try await admin.call(CampaignRoutes.createCampaign, app, body: request)
        return BenchCampaign(id: draft.id, app: app, admin: admin)
    }

    func launch() async throws {
        _ = try await admin.call(CampaignRoutes.launchCampaign, app, id)
    }

    /// Waits until the campaign is completed. It must be the app's newest.
    func completed() async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        while clock.now - begin < Self.patience {
            switch try await status() {
            case .completed: return
            case .sending: try await clock.sleep(for: Self.glance)
            case let status: throw CampaignBenchError.stopped(status.map(\.rawValue) ?? "gone")
            }
        }
        throw CampaignBenchError.tookTooLong
    }

    /// The campaign's status; nil if it is not the app's newest.
    func status() async throws -> CampaignStatus? {
        // Reads the list with this one row: reading the counts would slow the campaign down.
        let list: CampaignListResponse = try await admin.call(CampaignRoutes.listCampaigns, app, query: "limit=1")
        return list.campaigns.first { $0.id == id }?.status
    }

    /// The campaign's counts, as sums over the ledger.
    func counts() async throws -> CampaignCounts {
        let answer: CampaignResponse = try await admin.call(CampaignRoutes.readCampaign, app, id)
        return answer.counts
    }
}

/// A push service that accepts everything.
struct BenchPushSink: Sendable {
    /// The base URL, such as `https://127.0.0.1:8443`.
    let address: String
    /// The trusted certificates, in PEM.
    let trustRoots: String

    /// Gives an app credentials with which it sends to this push service.
    func connect(_ app: String, by admin: AdminClient) async throws {
        _ = try await admin.call(
            CredentialRoutes.putAPNsCredentials, app,
            body: APNsCredentialsRequest(
                teamId: "BENCHTEAM1", keyId: "BENCHKEY01", topic: "com.example.bench",
                privateKey: P256.Signing.PrivateKey().pemRepresentation, endpoint: address, trustRoots: trustRoots
            )
        )
    }
}
