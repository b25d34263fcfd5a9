import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation

extension ServiceWorld {
    static let content = PushContent(title: "Sale", body: "Only today")

    static func draft(
        audience: Condition = .everyone, push: PushContent? = content, name: String = "Sale",
        kind: CampaignKind = .push, schedule: CampaignSchedule? = nil
    ) -> CampaignDraft {
        CampaignDraft(name: name, kind: kind, audience: audience, push: push, schedule: schedule)
    }

    /// A campaign that has been launched and not yet planned.
    func launch(
        audience: Condition = .everyone, push: PushContent = content, kind: CampaignKind = .push,
        schedule: CampaignSchedule? = nil
    ) async throws -> CampaignID {
        let draft = Self.draft(audience: audience, push: push, kind: kind, schedule: schedule)
        let id = try await campaigns.drafts.create(draft, app: app).id
        _ = try await campaigns.life.launch(id, app: app)
        return id
    }

    func counts(_ id: CampaignID) async throws -> CampaignCounts {
        try await campaigns.queries.report(id, app: app).counts
    }

    func campaign(_ id: CampaignID) async throws -> Campaign {
        try await campaigns.queries.report(id, app: app).campaign
    }

    func delivery(_ id: CampaignID, _ device: ServiceDevice) async throws -> DeliveryRow? {
        try await delivery(id, device.client)
    }

    func delivery(_ id: CampaignID, _ client: DeviceID) async throws -> DeliveryRow? {
        let app = app.id
        return try await database.read { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return nil }
            return try connection.deliveries.find(campaign: id, device: device.id)
        }
    }

    /// The devices of a fleet: number 7 has the token `token7`.
    @discardableResult
    func makeFleet(_ count: Int) async throws -> [DeviceID] {
        let (app, now) = (app.id, clock.now)
        let clients = try (1...count).map { try Self.client($0) }
        let fleet = clients.enumerated().map { index, client in
            WrittenDevice(client: client.rawValue, token: "token\(index + 1)", environment: .production)
        }
        try await database.write { try $0.write(fleet, app: app, now: now) }
        return clients
    }

    /// How many devices are opted out for a reason.
    func optOuts(_ reason: OptOutReason) async throws -> Int {
        try await database.read { connection in
            try connection.first(
                "SELECT count(*) FROM devices WHERE opt_out_reason = ?", [.text(reason.rawValue)]
            ) { Int($0.integer(0)) } ?? 0
        }
    }

    static func client(_ number: Int) throws -> DeviceID {
        let digits = String(number)
        return try DeviceID("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    }
}

extension CampaignCounts {
    /// LED-3: what the states sum up to.
    var total: Int { pending + accepted + suppressed + rejected + cancelled }
}
