import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation

/// In-app campaigns, and their silent pushes.
extension ServiceWorld {
    /// An in-app campaign that has been launched, and whose audience has not been walked yet.
    func publish(
        _ name: String = "News", audience: Condition = .everyone, endsAt: Date? = nil,
        schedule: CampaignSchedule? = nil
    ) async throws -> CampaignID {
        let draft = Self.news(name, audience: audience, endsAt: endsAt, schedule: schedule)
        let id = try await campaigns.drafts.create(draft, app: app).id
        _ = try await campaigns.life.launch(id, app: app)
        return id
    }

    static func news(
        _ name: String = "News", audience: Condition = .everyone, endsAt: Date? = nil,
        schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(
            name: name, kind: .inApp, audience: audience,
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: endsAt,
                content: InAppContent(title: name, body: "Only today")
            ),
            schedule: schedule
        )
    }

    /// A worker; others than the first need a name, and may have their own transport and their own view of the
    /// database.
    func silentPushSender(
        _ owner: String = "a", transport: (any PushTransport)? = nil, database: (any SQLDatabase)? = nil,
        attempts: WorkAttempts? = nil, work: AsyncSignal? = nil
    ) -> SilentPushSender {
        SilentPushSender(
            owner: owner, pipeline: pipeline(over: database, transport: transport, attempts: attempts),
            work: work ?? AsyncSignal()
        )
    }

    /// Lets time pass, with a worker at work whenever a silent push is due.
    func wakeDevices(until date: Date, by sender: SilentPushSender? = nil) async throws {
        let sender = sender ?? silentPushSender()
        await sender.runUntilIdle()
        while let due = try await database.read({ try $0.silentPushes.nextDue().values.min() }), due <= date {
            clock.advance(to: due)
            await sender.runUntilIdle()
        }
        clock.advance(to: date)
        await sender.runUntilIdle()
    }

    func silentPush(_ client: DeviceID) async throws -> SilentPushState? {
        let app = app.id
        return try await database.read { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return nil }
            return try connection.silentPushes.find(device: device.id)
        }
    }

    /// The device downloads the message: the ledger says so, whatever its contact.
    func download(_ id: CampaignID, _ client: DeviceID) async throws {
        let (app, now) = (app.id, clock.now)
        try await database.write { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return }
            try connection.inAppDeliveries.download([id], device: device.id, contact: device.contact ?? 0, now: now)
        }
    }

    /// How many silent pushes ended so, by the metrics.
    func silentPushes(_ word: String) -> Int {
        let name = "belfry_silent_pushes_total{outcome=\"\(word)\"} "
        let line = metrics.prometheusText().split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }
}

extension ScriptedTransport.Request {
    /// The payload of an APNs request without its braces and numbers: the keys of `aps` and of `belfry`.
    var payloadKeys: [String: Set<String>] {
        let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return (json ?? [:]).mapValues { Set(($0 as? [String: Any] ?? [:]).keys) }
    }
}
