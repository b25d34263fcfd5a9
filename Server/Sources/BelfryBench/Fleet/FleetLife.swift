import AsyncHTTPClient
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel
import BelfryStore
import BelfryWire
import Foundation

/// The life of a fleet on one server: its devices and its operator do one kind of work after another.
struct FleetLife {
    static let app = "bench"
    /// The time between two checks of work that the server does by itself.
    private static let glance = Duration.milliseconds(500)
    /// How long the server may make no progress with pending work.
    private static let patience = Duration.seconds(600)

    let app: BenchApp
    let shape: FleetShape
    let hasSink: Bool
    let meter: EngineMeter

    private var server: BenchServer { app.server }
    private var address: String { app.server.address }
    private var http: BenchHTTP { app.http }

    func run(isSynced: Bool) async throws -> FleetBenchReport.Engine {
        let facts = try await server.database.opened { try await $0.read { try $0.facts() } }
        let name = "\(facts.engine) \(facts.engineVersion)"
        var record = try FleetRecord(name, by: meter)
        let devices = try await register(&record)
        let registered = record.tables
        try await use(devices, &record)
        let week = FleetBenchReport.Week(
            storedBytes: try meter.cost().storedBytes, freeBytes: try await meter.freeBytes(),
            tables: record.tables.since(registered)
        )
        try await sendEvents(of: devices, &record)
        try await countAudience(&record)
        let callers = try await app.link(shape.callers)
        try await fetchMessages(callers, &record)
        try await syncInApp(callers, &record)
        try await checkEvents()
        return FleetBenchReport.Engine(
            name: name, isSynced: isSynced, peakRSSBytes: ChildCost.peakResidentBytes(of: server.process),
            phases: record.phases, week: week
        )
    }
}

/// The work of the week.
extension FleetLife {
    /// Links all devices and registers them.
    private func register(_ record: inout FleetRecord) async throws -> [BenchDevice] {
        let devices = try await record.note(.links) {
            try await FleetLoad<BenchDevice>(calls: shape.devices) { _ in try await app.linkedDevice() }
        }
        try await server.database.opened { database in
            let table = RegistrationTable(database: database)
            try await record.note(.registrations) { try await registerAll(devices, in: table) }
            let processed = try await table.processed()
            guard processed == devices.count else {
                throw FleetBenchError.notProcessed(devices.count - processed, of: devices.count)
            }
        }
        return devices
    }

    private func registerAll(_ devices: [BenchDevice], in table: RegistrationTable) async throws -> FleetLoad<Void> {
        let load = try await FleetLoad<Void>(calls: devices.count) { number in
            let registration = try BenchRegistration(
                of: devices[number], number: number, at: Date(), by: BenchRegistration.encoder()
            )
            _ = try await http.answer(to: registration.request(to: address))
        }
        try await table.emptied(patience: Self.patience)
        return load
    }

    /// On each day, opens each app once and sends each device a push.
    private func use(_ devices: [BenchDevice], _ record: inout FleetRecord) async throws {
        try await record.note(.openings) {
            try await FleetLoad<Void>(calls: devices.count) { number in
                let body = FleetUpload.opening("open", at: Date())
                let call = devices[number].post(body, to: "events", at: address, order: Date())
                _ = try await http.answer(to: call)
            }
        }
        guard hasSink else { return }
        let sent = try await record.note(.campaigns) {
            try await send((1...shape.days).map { Self.push($0) }, to: devices.count)
        }
        for campaign in sent {
            let accepted = try await campaign.counts().accepted
            guard accepted == devices.count else {
                throw FleetBenchError.notAccepted(devices.count - accepted, of: devices.count)
            }
        }
    }

    /// Sends campaigns one after another, each to this number of devices.
    private func send(_ requests: [CampaignRequest], to devices: Int) async throws -> FleetLoad<BenchCampaign> {
        var sent: [BenchCampaign] = []
        for request in requests {
            let campaign = try await BenchCampaign.draft(request, app: app.code, by: server.admin)
            try await campaign.launch()
            try await campaign.completed()
            sent.append(campaign)
        }
        return FleetLoad(operations: requests.count * devices, outputs: sent)
    }

    private static func push(_ day: Int) -> CampaignRequest {
        CampaignRequest(
            name: "Day \(day)", kind: .push, audience: .attribute("city", .exists(true)),
            push: PushContent(
                title: "News of day \(day)", body: "There is something new in {{city}}. Have a look at it.",
                action: NotificationAction(type: .openUrl, url: "bench://news")
            )
        )
    }
}

/// The work after the week.
extension FleetLife {
    private static let eventsOfUpload = 50

    /// Three clauses, none with an index that helps (PERF-6).
    private static let audience = Condition.all([
        .attribute("age", .greaterOrEqual(30)), .attribute("city", .isIn(["Paris", "Lyon", "Berlin", "Hamburg"])),
        .device(.platform, .equal("ios")),
    ])

    /// The devices that are linked but not registered. No push can be sent to them, so none interferes.
    private static let unregistered = Condition.attribute("city", .exists(false))

    private func sendEvents(of devices: [BenchDevice], _ record: inout FleetRecord) async throws {
        for (work, each) in [(FleetWork.oneEvent, 1), (FleetWork.fiftyEvents, Self.eventsOfUpload)] {
            try await record.note(work) {
                try await FleetLoad<Void>(calls: max(shape.operations / each, 1), each: each) { number in
                    let body = FleetUpload.events(each, "\(work.rawValue)-\(number)", at: Date())
                    let device = devices[number.spread(over: devices.count)]
                    _ = try await http.answer(to: device.post(body, to: "events", at: address, order: Date()))
                }
            }
        }
    }

    private func countAudience(_ record: inout FleetRecord) async throws {
        let counts = try await record.note(.counts) {
            try await FleetLoad<Int>(calls: shape.counts, width: 1) { _ in
                let answer: AudienceCountResponse = try await server.admin.call(
                    CampaignRoutes.countAudience, app.code, body: AudienceCountRequest(audience: Self.audience)
                )
                return answer.devices
            }
        }
        guard Set(counts).count == 1, counts.allSatisfy({ $0 > 0 }) else { throw FleetBenchError.wrongCounts }
    }

    /// Fills the callers' message centers, and lets the callers fetch them in turn.
    private func fetchMessages(_ callers: [BenchDevice], _ record: inout FleetRecord) async throws {
        let expected = MessageCenterLimits.messagesPerCenter
        try await record.note(.messages) {
            try await send((1...expected).map { Self.message($0) }, to: callers.count)
        }
        let found = try await messages(of: callers[0])
        guard found == expected else { throw FleetBenchError.wrongMessages(found, expected: expected) }
        try await record.note(.fetches) {
            try await FleetLoad<Void>(calls: shape.operations) { number in
                _ = try await http.answer(to: fetch(of: callers[number % callers.count]))
            }
        }
    }

    private func messages(of caller: BenchDevice) async throws -> Int {
        let (_, body) = try await http.answer(to: fetch(of: caller))
        return try CheckedJSON.decode(
            MessageCenterMessagesResponse.self, from: body, maximumBytes: BenchHTTP.maximumResponseBytes
        ).messages.count
    }

    private func fetch(of caller: BenchDevice) -> HTTPClientRequest {
        caller.get(BenchFetch.primary.call, at: address, order: Date())
    }

    private static func message(_ number: Int) -> CampaignRequest {
        CampaignRequest(
            name: "Message \(number)", kind: .messageCenter, audience: unregistered,
            messageCenter: MessageCenterContent(
                subject: "News of the week, number \(number)",
                message: "There is something new in your town: have a look at what came in this week."
            )
        )
    }

    /// Publishes in-app messages, waits until the callers have them all, and lets the callers sync in turn.
    private func syncInApp(_ unsynced: [BenchDevice], _ record: inout FleetRecord) async throws {
        var published: [BenchCampaign] = []
        for number in 1...FleetShape.inAppCampaigns {
            let request = InAppBench.message(number, to: Self.unregistered)
            let campaign = try await BenchCampaign.draft(request, app: app.code, by: server.admin)
            try await campaign.launch()
            published.append(campaign)
        }
        for campaign in published { try await findAudience(of: campaign, unsynced.count) }
        let callers = try await InAppBench.settled(
            unsynced.map { InAppBenchCaller(device: $0) }, campaigns: published.count, on: server, over: http
        )
        try await record.note(.syncs) {
            try await FleetLoad<Void>(calls: shape.operations) { number in
                let result = try await callers[number % callers.count].ask(server, over: http)
                guard result.isNothingNew else { throw InAppBenchError.somethingNew }
            }
        }
    }

    /// Waits until a campaign has processed all devices. The devices of its audience are the last of them.
    private func findAudience(of campaign: BenchCampaign, _ count: Int) async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        while try await campaign.counts().audience < count {
            guard clock.now - begin < Self.patience else { throw FleetBenchError.notPlanned }
            try await clock.sleep(for: Self.glance)
        }
    }

    /// Checks that no acknowledged event is missing.
    private func checkEvents() async throws {
        let uploads = max(shape.operations / Self.eventsOfUpload, 1)
        let acknowledged =
            shape.devices * (1 + FleetShape.eventsOfOpening) + shape.operations + uploads * Self.eventsOfUpload
        let stored = try await BenchStoredEvents(server: server, http: http).count()
        guard stored >= acknowledged else {
            throw StoredEventsError.lost(acknowledged: acknowledged, stored: stored)
        }
    }
}

extension Int {
    /// Maps the number to a place below the count, so that neighboring numbers are far apart.
    fileprivate func spread(over count: Int) -> Int { self &* 7_919 % count }
}
