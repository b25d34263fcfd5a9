import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import Foundation

/// What a fleet does on a cluster, what happens to the cluster meanwhile, and what is found afterwards.
struct ClusterStory: Sendable {
    /// The time between two looks at a campaign.
    private static let glance = Duration.milliseconds(200)
    /// The time between two looks for the moment at which something happens.
    private static let quickGlance = Duration.milliseconds(10)
    /// How long there may be no progress.
    private static let patience = Duration.seconds(600)
    /// How long a campaign or a rebalance may take in all.
    private static let limit = Duration.seconds(7_200)
    /// A worker is killed once this part of a campaign is sent.
    private static let partBeforeKill = 8

    let devices: Int
    /// The app on each of the servers.
    let apps: [BenchApp]
    let database: ClusterDatabase
    let trouble: ClusterTrouble
    let sink: SinkLog

    private var http: BenchHTTP { apps[0].http }
    private let clock = ContinuousClock()

    init(devices: Int, apps: [BenchApp], database: ClusterDatabase, trouble: ClusterTrouble, sink: SinkLog) {
        self.devices = devices
        self.apps = apps
        self.database = database
        self.trouble = trouble
        self.sink = sink
    }

    func run(isSynced: Bool) async throws -> ClusterBenchReport {
        let workers = try database.workers()
        var phases: [ClusterBenchReport.Phase] = []
        let fleet = try await note("links of new devices", in: &phases) {
            try await FleetLoad<BenchDevice>(calls: devices) { number in
                try await apps[number % apps.count].linkedDevice()
            }
        }
        _ = try await note("first registrations, processed", in: &phases) { try await register(fleet) }
        _ = try await note("app opens, with \(FleetShape.eventsOfOpening) events", in: &phases) {
            try await open(fleet)
        }
        let talkers = ClusterTalkers(
            devices: try await apps[0].link(ClusterTalkers.count), servers: apps.map(\.server.address), http: http
        )
        let (campaigns, acknowledged) = try await talkers.run {
            let first = try await sendWhileWorkerDies(to: fleet)
            let second = try await sendWhileShardsMove(to: fleet)
            return [first, second]
        }
        return ClusterBenchReport(
            devices: devices, workersBefore: workers, workersAfter: try database.workers(), isSynced: isSynced,
            phases: phases, campaigns: campaigns, kept: try await kept(acknowledged)
        )
    }
}

// MARK: What the devices do first

extension ClusterStory {
    private func note<Output: Sendable>(
        _ name: String, in phases: inout [ClusterBenchReport.Phase], _ body: () async throws -> FleetLoad<Output>
    ) async throws -> [Output] {
        let begin = clock.now
        let load = try await body()
        let phase = ClusterBenchReport.Phase(
            name, operations: load.operations, seconds: (clock.now - begin).inSeconds, milliseconds: load.milliseconds
        )
        phases.append(phase)
        Console.say("\(phase.operations) \(name) in \(phase.seconds.text(places: 1)) s")
        return load.outputs
    }

    private func register(_ fleet: [BenchDevice]) async throws -> FleetLoad<Void> {
        let load = try await FleetLoad<Void>(calls: fleet.count) { number in
            let registration = try BenchRegistration(
                of: fleet[number], number: number, at: Date(), by: BenchRegistration.encoder()
            )
            let address = apps[number % apps.count].server.address
            _ = try await http.answer(to: registration.request(to: address))
        }
        try await untilRegistered()
        return load
    }

    private func untilRegistered() async throws {
        try await database.database.opened { opened in
            try await RegistrationTable(database: opened).emptied(patience: Self.patience)
        }
    }

    private func open(_ fleet: [BenchDevice]) async throws -> FleetLoad<Void> {
        try await FleetLoad<Void>(calls: fleet.count) { number in
            let body = FleetUpload.opening("open", at: Date())
            let address = apps[number % apps.count].server.address
            _ = try await http.answer(to: fleet[number].post(body, to: "events", at: address, order: Date()))
        }
    }
}

// MARK: Campaigns

extension ClusterStory {
    /// A campaign that has been launched.
    private struct Launched {
        let campaign: BenchCampaign
        let number: CampaignID
        let begin: ContinuousClock.Instant
        /// The number of pushes that the sink had got before.
        let before: Int
    }

    private func sendWhileWorkerDies(to fleet: [BenchDevice]) async throws -> ClusterBenchReport.Campaign {
        let launched = try await launch("A worker dies")
        try await untilSent(devices / Self.partBeforeKill, of: launched)
        let recorded = try database.ledger(of: launched.number.number).accepted
        try await trouble.worker.kill()
        let atKill = try sent(of: launched)
        Console.say("killed \(trouble.worker.folder.lastPathComponent) after \(atKill) of \(devices) pushes")
        try await clock.sleep(for: trouble.away)
        let atStart = try sent(of: launched)
        try await trouble.worker.start()
        Console.say("started it again after \(atStart) pushes")
        try await untilCompleted(launched)
        // Who is alone with a push that is not in the ledger may send it again: what was open when the worker died, and
        // what left while nothing could be recorded there. No server has more under way than it may.
        let disturbance = ClusterBenchReport.Disturbance(
            name: "a worker dies", sentBefore: atKill, sentMeanwhile: atStart - atKill, openBefore: atKill - recorded,
            mayRepeat: min(atStart - recorded, apps.count * CampaignDispatcher.mostUnderWay), movedShards: nil
        )
        return try await result(of: launched, disturbance, fleet)
    }

    private func sendWhileShardsMove(to fleet: [BenchDevice]) async throws -> ClusterBenchReport.Campaign {
        try database.rebalance(to: trouble.spare)
        try await untilMoving()
        let launched = try await launch("Shards move")
        var state = try database.rebalanceState()
        var meanwhile = 0
        try await untilCompleted(launched) {
            guard state == .running else { return }
            let count = try sent(of: launched)
            state = try database.rebalanceState()
            // Only what was sent before a look that still found it at work.
            if state == .running { meanwhile = count }
        }
        let end = clock.now + Self.limit
        while state != .finished {
            guard clock.now < end else { throw ClusterBenchError.tookTooLong }
            try await clock.sleep(for: Self.glance)
            state = try database.rebalanceState()
        }
        let disturbance = ClusterBenchReport.Disturbance(
            name: "shards move", sentBefore: 0, sentMeanwhile: meanwhile, openBefore: 0, mayRepeat: 0,
            movedShards: try database.shards(on: trouble.spare)
        )
        return try await result(of: launched, disturbance, fleet)
    }

    private func untilMoving() async throws {
        let end = clock.now + Self.patience
        while try database.rebalanceState() == .scheduled {
            guard clock.now < end else { throw ClusterBenchError.rebalance("scheduled") }
            try await clock.sleep(for: Self.quickGlance)
        }
        Console.say("shards move to \(trouble.spare.folder.lastPathComponent)")
    }

    private func launch(_ name: String) async throws -> Launched {
        let request = CampaignRequest(
            name: name, kind: .push, audience: .attribute("city", .exists(true)),
            push: PushContent(
                title: name, body: "There is something new in {{city}}. Have a look at it.",
                action: NotificationAction(type: .openUrl, url: "bench://news")
            )
        )
        let campaign = try await BenchCampaign.draft(request, app: ClusterBench.app, by: apps[0].server.admin)
        guard let number = CampaignID(campaign.id) else { throw CampaignBenchError.stopped("gone") }
        let launched = Launched(campaign: campaign, number: number, begin: clock.now, before: try sink.count())
        try await campaign.launch()
        return launched
    }

    /// The number of the campaign's pushes that the sink has got.
    private func sent(of launched: Launched) throws -> Int { try sink.count() - launched.before }

    private func untilSent(_ count: Int, of launched: Launched) async throws {
        let end = clock.now + Self.patience
        while try sent(of: launched) < count {
            guard clock.now < end else { throw ClusterBenchError.nothingSent }
            try await clock.sleep(for: Self.quickGlance)
        }
    }

    /// Waits until the campaign is completed. While a worker is away, the servers may not be able to say.
    ///
    /// - Parameter look: what is looked at each time.
    private func untilCompleted(_ launched: Launched, _ look: () throws -> Void = {}) async throws {
        let end = clock.now + Self.limit
        while clock.now < end {
            try look()
            switch try? await launched.campaign.status() {
            case .completed: return
            case .sending, nil: try await clock.sleep(for: Self.glance)
            case let status?: throw CampaignBenchError.stopped(status.rawValue)
            }
        }
        throw ClusterBenchError.tookTooLong
    }

    private func result(
        of launched: Launched, _ disturbance: ClusterBenchReport.Disturbance, _ fleet: [BenchDevice]
    ) async throws -> ClusterBenchReport.Campaign {
        let seconds = (clock.now - launched.begin).inSeconds
        let naming = MessageNaming(campaign: launched.number)
        let expected = Set(try fleet.map { naming.id(try DeviceID($0.id)) })
        let campaign = ClusterBenchReport.Campaign(
            devices: devices, seconds: seconds, disturbance: disturbance, counts: try await launched.campaign.counts(),
            ledger: try database.ledger(of: launched.number.number),
            sink: try sink.pushes(after: launched.before).compared(with: expected)
        )
        Console.say("\(campaign.counts.accepted) of \(devices) pushes accepted in \(seconds.text(places: 1)) s")
        return campaign
    }
}

// MARK: What is found in the end

extension ClusterStory {
    /// Compares the database with what was acknowledged.
    private func kept(_ acknowledged: ClusterTalkers.Acknowledged) async throws -> ClusterBenchReport.Kept {
        try await untilRegistered()
        let events = try database.events()
        var outdated = 0
        for (device, revision) in acknowledged.revisions {
            let found = try await apps[0].server.admin.call(DeviceRoutes.readDevice, ClusterBench.app, device)
            if found.revision != revision { outdated += 1 }
        }
        return ClusterBenchReport.Kept(
            devices: devices, events: events, acknowledged: acknowledged,
            registrations: try database.registrations(), outdated: outdated
        )
    }
}
