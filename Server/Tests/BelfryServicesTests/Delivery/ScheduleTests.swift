import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ScheduleTests {
    /// World.epoch is 2026-11-21T12:00:00Z.
    private static func moment(_ text: String) throws -> Date {
        try #require(Timestamp.date(text))
    }

    private static func local(_ text: String) throws -> LocalDateTime {
        try #require(LocalDateTime(text))
    }

    /// Devices with the tokens `token1`, `token2` …, one in each of these zones.
    private static func world(zones: [String?]) async throws -> (world: ServiceWorld, devices: [ServiceDevice]) {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for index in zones.indices {
            var device = try await ServiceDevice.started(world, index + 1)
            try await device.register { $0.pushToken = "token\(index + 1)" }
            devices.append(device)
        }
        try await world.process()
        // Written as it is stored: clients of v3 send offsets, others names.
        let (app, clients) = (world.app.id, devices.map(\.client))
        try await world.database.write { connection in
            for (client, zone) in zip(clients, zones) {
                guard var row = try connection.devices.find(app: app, client: client) else { continue }
                row.system.timeZone = zone
                try connection.devices.save(row)
            }
        }
        return (world, devices)
    }

    @Test("CAMP-5: a scheduled campaign begins at its time and not before")
    func later() async throws {
        let (world, _) = try await Self.world(zones: [nil])
        let start = try Self.moment("2026-12-01T09:00:00Z")
        let id = try await world.launch(schedule: CampaignSchedule(at: start))
        #expect(try await world.campaign(id).status == .scheduled)
        try await world.send(until: start.addingTimeInterval(-1))
        #expect(world.transport.requests.isEmpty)
        try await world.send(until: start)
        #expect(world.transport.requests.count == 1)
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .completed && campaign.launchedAt == start)
    }

    @Test("CAMP-5: each recipient gets the message at their own local time, and the ledger has the zone")
    func localTime() async throws {
        let (world, devices) = try await Self.world(zones: ["Europe/Paris", "-05:00", nil, "Pacific/Kiritimati"])
        let id = try await world.launch(schedule: CampaignSchedule(localAt: try Self.local("2026-12-01T09:00:00")))
        #expect(try await world.campaign(id).status == .scheduled)
        let expected = [
            ("2026-11-30T19:00:00Z", "token4"), ("2026-12-01T08:00:00Z", "token1"), ("2026-12-01T09:00:00Z", "token3"),
            ("2026-12-01T14:00:00Z", "token2"),
        ]
        for (index, (text, token)) in expected.enumerated() {
            let date = try Self.moment(text)
            try await world.send(until: date.addingTimeInterval(-1))
            #expect(world.transport.requests.count == index, "before \(text)")
            try await world.send(until: date)
            #expect(world.transport.requests.map(\.token).last == token, "at \(text)")
        }
        #expect(try await world.campaign(id).status == .completed)
        let notes = ["the device's zone", "the device's offset", "the app's zone", "the device's zone"]
        for (device, note) in zip(devices, notes) {
            let row = try await world.delivery(id, device)
            #expect(row?.state == .accepted && row?.attempts == 1)
            #expect(row?.due?.note.contains(note) == true, "\(row?.due?.note ?? "nothing") should tell of \(note)")
        }
    }

    @Test("CAMP-5: a message that waits for its time is pending, and explained")
    func waiting() async throws {
        let (world, devices) = try await Self.world(zones: ["Europe/Paris"])
        let id = try await world.launch(schedule: CampaignSchedule(localAt: try Self.local("2026-11-22T09:00:00")))
        try await world.send(until: try Self.moment("2026-11-21T20:00:00Z"))
        let explanation = try await world.explainer.explain(
            id, device: devices[0].client.rawValue, app: world.app
        )
        #expect(explanation.state == "pending")
        #expect(explanation.sentence.contains("09:00") && explanation.sentence.contains("Europe/Paris"))
        #expect(try await world.counts(id).pending == 1)
    }

    @Test("CAMP-5: a message's life and its retries count from the recipient's own time, not from the launch")
    func lifeFromOwnTime() async throws {
        let (world, devices) = try await Self.world(zones: ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
        world.transport.answer("token2", .serverError, .accepted)
        var content = ServiceWorld.content
        content.ttlSeconds = 3_600
        let id = try await world.launch(
            push: content, schedule: CampaignSchedule(localAt: try Self.local("2026-12-01T09:00:00"))
        )
        try await world.sendToTheEnd()
        for device in devices {
            #expect(try await world.delivery(id, device)?.state == .accepted)
        }
        let expirations = world.transport.requests.compactMap { $0.fields["apns-expiration"].flatMap(Double.init) }
        // 2026-11-30T19:00Z and 2026-12-01T20:00Z, and an hour.
        #expect(Set(expirations) == [1_796_068_800, 1_796_158_800])
    }

    @Test("CAMP-5: quiet hours delay a message to their end, or end it")
    func quietHours() async throws {
        // Noon in UTC is 21:00 in Tokyo and 07:00 in New York.
        let zones: [String?] = ["Asia/Tokyo", "America/New_York"]
        let quiet = QuietHours(
            from: try #require(TimeOfDay("20:00")), to: try #require(TimeOfDay("08:00")), then: .delay)
        let (world, devices) = try await Self.world(zones: zones)
        let id = try await world.launch(schedule: CampaignSchedule(quietHours: quiet))
        let times = TimesOfRequests(world)
        try await world.sendToTheEnd()
        #expect(times.texts == ["token2 2026-11-21T13:00:00.000Z", "token1 2026-11-21T23:00:00.000Z"])
        #expect(try await world.delivery(id, devices[0])?.due?.note.contains("quiet hours") == true)

        let (other, others) = try await Self.world(zones: zones + ["Europe/Paris"])
        let suppressing = QuietHours(from: quiet.from, to: quiet.to, then: .suppress)
        let ended = try await other.launch(schedule: CampaignSchedule(quietHours: suppressing))
        try await other.sendToTheEnd()
        #expect(try await other.delivery(ended, others[0])?.reason?.rawValue == "quietHours")
        #expect(try await other.delivery(ended, others[1])?.reason?.rawValue == "quietHours")
        #expect(try await other.delivery(ended, others[2])?.state == .accepted)
    }

    @Test("FLEET-11, CAMP-5: messages that wait for their time are not counted with those that a push service put off")
    func countedAsWaiting() async throws {
        // Noon in UTC is 21:00 in Tokyo.
        let (world, _) = try await Self.world(zones: ["Asia/Tokyo", "Europe/Paris"])
        let quiet = QuietHours(
            from: try #require(TimeOfDay("20:00")), to: try #require(TimeOfDay("08:00")), then: .delay)
        _ = try await world.launch(schedule: CampaignSchedule(quietHours: quiet))
        try await world.send(until: ServiceWorld.epoch.addingTimeInterval(60))
        let values = world.metrics.values
        #expect(values[#"belfry_deliveries_total{state="accepted"}"#] == 1)
        #expect(values[#"belfry_deliveries_total{state="waiting"}"#] != nil)
        #expect(values[#"belfry_deliveries_total{state="pending"}"#] == nil)
    }

    @Test("CAMP-2, CAMP-5: a scheduled campaign is paused, resumed and cancelled, any number of times")
    func stepsBeforeTheTime() async throws {
        let (world, _) = try await Self.world(zones: [nil])
        let schedule = CampaignSchedule(at: try Self.moment("2026-12-01T09:00:00Z"))
        let id = try await world.launch(schedule: schedule)
        for _ in 0..<2 { _ = try await world.campaigns.life.pause(id, app: world.app) }
        try await world.send(until: try Self.moment("2026-12-01T10:00:00Z"))
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.campaign(id).status == .paused)
        for _ in 0..<2 { _ = try await world.campaigns.life.resume(id, app: world.app) }
        // Its time has passed meanwhile.
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == 1)

        let other = try await world.launch(schedule: CampaignSchedule(at: try Self.moment("2026-12-02T09:00:00Z")))
        for _ in 0..<2 { _ = try await world.campaigns.life.cancel(other, app: world.app) }
        try await world.send(until: try Self.moment("2026-12-03T09:00:00Z"))
        #expect(world.transport.requests.count == 1)
        #expect(try await world.campaign(other).status == .cancelled)
    }

    @Test("CAMP-5: from its expiry on, a campaign sends nothing")
    func expiry() async throws {
        let (world, devices) = try await Self.world(zones: ["Europe/Paris", "America/Los_Angeles"])
        let id = try await world.launch(
            schedule: CampaignSchedule(
                localAt: try Self.local("2026-12-01T09:00:00"), expiresAt: try Self.moment("2026-12-01T12:00:00Z")
            )
        )
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, devices[0])?.state == .accepted)
        #expect(try await world.delivery(id, devices[1])?.reason?.rawValue == "expired")
    }
}

/// When which token got a request.
private final class TimesOfRequests: Sendable {
    private let lines = TextLog()

    init(_ world: ServiceWorld) {
        world.transport.onRequest { [lines] request in
            lines.append("\(request.token) \(Timestamp.text(world.clock.now))")
        }
    }

    var texts: [String] { lines.all }
}
