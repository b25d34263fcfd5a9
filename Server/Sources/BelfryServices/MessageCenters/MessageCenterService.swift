import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Management of an app's message centers (MC-2, ADM-2).
package struct MessageCenterService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// An operator's change of a center.
    package struct Change: Hashable, Sendable {
        /// The new label. Nil: it does not change. A blank one removes the label.
        package var label: String?
        /// Whether the center is enabled. Nil: this does not change.
        package var isEnabled: Bool?

        package init(label: String? = nil, isEnabled: Bool? = nil) {
            self.label = label
            self.isEnabled = isEnabled
        }
    }

    /// The app's centers: the primary one first, the others in the order of their creation.
    package func all(of app: AppRecord) async throws -> [MessageCenter] {
        try await database.glance { try $0.messageCenters.all(app: app.id) }
    }

    /// Changes a center, or creates it. A new center is enabled, unless the change says otherwise.
    ///
    /// - Parameter check: gets the center in the transaction, nil for none, and refuses a change that was based on
    ///   another state (CON-10).
    package func save(
        _ raw: String, _ change: Change, app: AppRecord,
        unless check: @escaping @Sendable (MessageCenter?) throws -> Void = { _ in }
    ) async throws -> MessageCenter {
        let (name, label) = try Self.parsed(name: raw, label: change.label)
        let now = environment.now()
        return try await database.write { connection in
            var center: MessageCenter
            let known = try connection.messageCenters.find(app: app.id, name)
            try check(known)
            if let known {
                center = known
            } else {
                try Self.rejectAnotherCenter(app: app.id, in: connection)
                center = MessageCenter(name: name)
            }
            if let label { center.label = label.isEmpty ? nil : label }
            center.isEnabled = change.isEnabled ?? center.isEnabled
            try connection.messageCenters.save(center, app: app.id, now: now)
            return center
        }
    }

    /// Removes a center that is not built in. Its messages are hidden until a center with its name is created again.
    package func delete(_ raw: String, app: AppRecord) async throws -> MessageCenterName {
        try await database.write { connection in
            let center = try AppLookup(connection: connection, app: app.id).center(raw)
            guard !center.name.isPrimary else {
                throw ServiceError.conflict(
                    message: "Every app has the message center '\(center.name)'. It can be disabled, not deleted."
                )
            }
            try Self.rejectIfFilled(center.name, app: app.id, in: connection)
            _ = try connection.messageCenters.delete(app: app.id, center.name)
            return center.name
        }
    }

    /// The name of a center and its new label. Throws with all their errors (ADM-3).
    private static func parsed(
        name raw: String, label rawLabel: String?
    ) throws(ServiceError) -> (name: MessageCenterName, label: String?) {
        let label = rawLabel?.trimmingCharacters(in: .whitespacesAndNewlines)
        var errors: [FieldError] = []
        if let label, !label.isEmpty, !label.isNamed(within: MessageCenterLimits.maximumLabelLength) {
            let message =
                "A label has at most \(MessageCenterLimits.maximumLabelLength) characters, at most "
                + "\(NamingRule.maximumBytes) bytes, and no null character."
            errors.append(FieldError(field: "label", error: ValueError(code: "invalidLength", message: message)))
        }
        let name: MessageCenterName
        do {
            name = try MessageCenterName(raw)
        } catch {
            throw .invalidFields(FieldError(field: "name", error: error), others: errors)
        }
        try ServiceError.reject(errors)
        return (name, label)
    }

    private static func rejectAnotherCenter(app: Int64, in connection: any SQLConnection) throws {
        guard try connection.messageCenters.customCount(app: app) < MessageCenterLimits.maximumCustom else {
            throw ServiceError.conflict(
                message: """
                    An app has at most \(MessageCenterLimits.maximumCustom) message centers besides \
                    '\(MessageCenterName.primary)'. Delete one first.
                    """
            )
        }
    }

    /// Throws if a campaign that has not ended would store messages in the center, where nobody would see them.
    private static func rejectIfFilled(
        _ name: MessageCenterName, app: Int64, in connection: any SQLConnection
    ) throws {
        for id in try connection.campaigns.keeping(app: app) {
            let row: CampaignRow?
            do {
                row = try CampaignID(id).flatMap(connection.campaigns.find)
            } catch let error where error.meansUnreadable {
                // A campaign that cannot be read will fail, whatever its center is.
                continue
            }
            guard let campaign = row?.campaign,
                (campaign.draft.messageCenter?.center ?? MessageCenterName.primary.rawValue) == name.rawValue
            else { continue }
            throw ServiceError.conflict(
                message: """
                    Campaign \(campaign.id) ('\(campaign.draft.name)') is \(campaign.status.rawValue) and keeps its \
                    messages in '\(name)'. Let it end, or cancel it first.
                    """
            )
        }
    }
}
