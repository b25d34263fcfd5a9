import BelfryModel
import BelfryStore
import Foundation

/// What became of one campaign at a device.
package struct DeviceMessage: Hashable, Sendable {
    package let campaign: Campaign
    /// When its row was last written.
    package let at: Date
    package let explanation: Explanation
}

/// Answers "why did this person (not) get it?" in one call (LED-2).
package struct Explainer: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    package func explain(_ id: CampaignID, device client: String, app: AppRecord) async throws -> Explanation {
        let now = environment.now()
        return try await database.read { connection in
            let row = try connection.campaign(id, app: app.id)
            let device = try connection.device(client, app: app)
            let delivery = try connection.deliveries.find(campaign: id, device: device.id)
            return try connection.explanation(row, device: device, delivery: delivery, now: now)
        }
    }

    /// Every campaign that had the device in its audience, the newest first.
    ///
    /// - Parameter cursor: the number of the campaign before which the list goes on.
    package func messages(
        of client: String, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> [DeviceMessage] {
        let now = environment.now()
        return try await database.read { connection in
            let device = try connection.device(client, app: app)
            let deliveries = try connection.deliveries.ofDevice(
                device.id, app: app.id, before: cursor, limit: limit
            )
            return try deliveries.map { delivery in
                let row = try connection.campaign(delivery.campaign, app: app.id)
                return DeviceMessage(
                    campaign: row.campaign, at: delivery.updatedAt,
                    explanation: try connection.explanation(row, device: device, delivery: delivery, now: now)
                )
            }
        }
    }
}

extension SQLConnection {
    fileprivate func explanation(
        _ row: CampaignRow, device: DeviceRow, delivery: DeliveryRow?, now: Date
    ) throws -> Explanation {
        if let fate = try inAppFate(of: row, device: device, delivery: delivery, now: now) {
            return Explanation(row: row, delivery: delivery, inApp: fate, now: now)
        }
        let explanation = Explanation(
            row: row, device: device, delivery: delivery,
            center: try centerFate(of: row.campaign, device: device, delivery: delivery), now: now
        )
        guard delivery?.state == .pending, row.campaign.status == .sending,
            try batches.isQuarantined(device: device.id, of: row.id)
        else { return explanation }
        return explanation.inQuarantine
    }
}
