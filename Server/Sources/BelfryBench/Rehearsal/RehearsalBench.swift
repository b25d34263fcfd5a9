import BelfryCommand
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfrySQLite
import BelfryStore
import Crypto
import Foundation
import Logging
import ServiceLifecycle

/// Runs `belfry bench rehearsal`: a rehearsal by the server's own worker, on a database file of its own.
struct RehearsalBench: Service {
    private static let code = "bench"
    private static let zones = [
        "Europe/Paris", "America/New_York", "Asia/Tokyo", "Asia/Kolkata", "America/Sao_Paulo", "Australia/Sydney",
        "Europe/London", "America/Los_Angeles",
    ]
    /// How long small calls are measured on a quiet server.
    private static let quiet: Duration = .seconds(3)

    let devices: Int
    /// The number of campaigns that are planned to begin before the rehearsed one.
    let others: Int
    let json: Bool

    func run() async throws {
        let report = try await BenchFolder.run { folder in try await measure(folder) }
        Console.say(json ? try report.jsonLine() : report.table)
    }

    private func measure(_ folder: URL) async throws -> RehearsalBenchReport {
        let file = folder.appending(path: "belfry.sqlite")
        let app = try await fill(file)
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        defer { try? database.close() }
        let campaigns = Self.campaigns(over: database)
        let service = RehearsalService(database: database, environment: .live, work: AsyncSignal())
        let draft = try await campaigns.drafts.create(Self.draft(), app: app)
        for number in 0..<others { try await plan(number, app: app, campaigns) }
        let quiet = try await calls(to: database, while: { try await Task.sleep(for: Self.quiet) })
        ProcessCost.forgetPeak()
        let (begin, cpu) = (ContinuousClock().now, ProcessCost.cpuSeconds)
        let started = try await service.start(draft.id, app: app)
        let worker = RehearsalWorker(
            owner: "bench", previews: campaigns.previews, work: AsyncSignal(), logger: Logger(label: "belfry.bench")
        )
        let busy = try await calls(to: database, while: { await worker.runUntilIdle() })
        let seconds = (ContinuousClock().now - begin).inSeconds
        let rehearsal = try await service.find(started.id, of: draft.id, app: app)
        return RehearsalBenchReport(
            devices: devices, others: others, rehearsal: rehearsal, seconds: seconds,
            cpuSeconds: ProcessCost.cpuSeconds - cpu,
            peakBytes: ProcessCost.peakRSSBytes, quiet: quiet, busy: busy
        )
    }

    /// The durations in milliseconds of small writes and reads while the body runs.
    private func calls(
        to database: SQLiteDatabase, while body: @escaping @Sendable () async throws -> Void
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            group.addTask {
                var times: [Double] = []
                while !Task.isCancelled {
                    let begin = ContinuousClock().now
                    try await database.write { try $0.touchSchema() }
                    _ = try await database.read { try $0.newestSchema() }
                    times.append((ContinuousClock().now - begin).inMilliseconds)
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return times
            }
            try await body()
            group.cancelAll()
            return try await group.next() ?? []
        }
    }
}

extension RehearsalBench {
    private static func draft() throws -> CampaignDraft {
        var schedule = CampaignSchedule()
        schedule.localAt = LocalDateTime(Date().addingTimeInterval(172_800), in: .gmt)
        if let from = TimeOfDay("22:00"), let to = TimeOfDay("08:00") {
            schedule.quietHours = QuietHours(from: from, to: to, then: .delay)
        }
        schedule.frequencyCap = FrequencyCap(count: 1, within: try ISODuration("P7D"))
        return CampaignDraft(
            name: "Rehearsed", kind: .push, audience: .everyone,
            push: PushContent(title: "Hello {{firstName}}", body: "News from {{city}}"), schedule: schedule
        )
    }

    /// Plans a campaign that begins a day before the rehearsed one and has the same content for all.
    private func plan(_ number: Int, app: AppService.App, _ campaigns: CampaignServices) async throws {
        let date = Date().addingTimeInterval(86_400 + Double(60 * number))
        let draft = CampaignDraft(
            name: "Planned \(number)", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"),
            schedule: CampaignSchedule(at: date)
        )
        let id = try await campaigns.drafts.create(draft, app: app).id
        _ = try await campaigns.life.launch(id, app: app)
    }

    /// Creates an app with its devices, and a campaign that every second device has received.
    private func fill(_ file: URL) async throws -> AppService.App {
        let app = try await makeApp(file)
        try await BenchAudience(database: .file(file)).write(devices, app: Self.code)
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        let now = Date()
        let earlier = try await Self.campaigns(over: database).drafts.create(
            CampaignDraft(
                name: "Earlier", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
            ), app: app
        )
        for start in stride(from: 1, through: devices, by: 10_000) {
            let range = Int64(start)...Int64(min(start + 9_999, devices))
            let numbers: [SQLValue] = [.integer(range.lowerBound), .integer(range.upperBound)]
            try await database.write { connection in
                for (index, zone) in Self.zones.enumerated() {
                    try connection.execute(
                        "UPDATE devices SET time_zone = ? WHERE id BETWEEN ? AND ? AND id % 8 = ?",
                        [.text(zone)] + numbers + [.integer(index)]
                    )
                }
                try connection.audiences.rebuild(app: app.id, devices: range)
                try connection.execute(
                    """
                    INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
                    SELECT ?, id, contact_id, 'accepted', 1, ? FROM devices WHERE id BETWEEN ? AND ? AND id % 2 = 0
                    """,
                    [.integer(earlier.id.number), .date(now)] + numbers
                )
            }
        }
        _ = try await database.write { connection in
            try connection.execute(
                "UPDATE campaigns SET status = 'completed', launched_at = ?, ended_at = ?, planned = 1 WHERE id = ?",
                [.date(now), .date(now), .integer(earlier.id.number)]
            )
        }
        try database.close()
        return app
    }

    private func makeApp(_ file: URL) async throws -> AppService.App {
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        let apps = AppService(
            database: database, environment: .live, vault: CredentialVault(keys: Self.keys),
            endpointPolicy: .publicOnly
        )
        let app = try await apps.create(code: Self.code, name: "Bench").app
        for name in BenchAudience.attributes { try await apps.defineAttribute(name, type: .string, app: app) }
        let secret = CredentialVault.APNsSecret(
            teamID: "TEAM123456", keyID: "KEY1234567", topic: "com.example.bench",
            privateKey: P256.Signing.PrivateKey().pemRepresentation, endpoint: nil, sandboxEndpoint: nil,
            trustRoots: nil
        )
        _ = try await apps.putAPNsCredentials(secret, app: app)
        try database.close()
        return app
    }

    private static let keys = ServerKeys(secret: Array("the secret of a benchmark, long enough".utf8))

    private static func campaigns(over database: SQLiteDatabase) -> CampaignServices {
        let accounts = PushAccounts(
            vault: CredentialVault(keys: keys), exchange: NoService(), environment: .live
        )
        return CampaignServices(
            database: database, environment: .live,
            tests: TestDelivery(accounts: accounts, transport: NoService(), keys: keys), work: AsyncSignal()
        )
    }
}

/// A rehearsal calls no push service, so nothing can be sent.
private struct NoService: PushTransport, AccessTokenExchange {
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        for index in requests.indices { onResponse(index, .notProcessed(reason: "a benchmark sends nothing")) }
    }

    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        throw AccessTokenExchangeError.noConnection
    }
}
