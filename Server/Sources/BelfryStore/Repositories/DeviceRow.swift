import BelfryModel
import Foundation

/// A device as the server keeps it.
package struct DeviceRow: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let client: DeviceID
    package var contact: Int64?
    /// The newest link generation that was issued, and the newest that the device has used (WIRE-20).
    package var linkGeneration: Int64 = 0
    package var confirmedGeneration: Int64 = 0
    /// Which installation it is: grows when a new one takes the row over, and when an operator revokes it (SEC-10).
    package var epoch: Int64 = 0
    package var pushToken: PushToken?
    package var tokenAt: Date?
    /// nil until the device said so: a v3 client never does (REG-22).
    package var pushEnabled: Bool?
    package var osPushEnabled: Bool?
    package var optOut: OptOut?
    package var system = SystemProperties()
    package var lastOpenedAt: Date?
    /// The highest revision that was applied.
    package var revision: Int64 = 0
    /// What the last applied snapshot said of attributes and tags (REG-28).
    package var applied: AppliedSnapshot?
    package var tokenOrder: Int64 = 0
    package var propertiesOrder: Int64 = 0
    package var contactOrder: Int64 = 0
    package let createdAt: Date
    package var updatedAt: Date
}

/// What one device's last snapshot said of attributes; the next one is compared with it (REG-28).
package struct AppliedSnapshot: Hashable, Sendable, Codable {
    /// Whom it was said of, or the contact that took that one's history over (ID-8).
    package var contact: Int64
    package var attributes: [String: AttributeValue]
    /// The contacts that this installation has left, the newest last. A client whose last answers were lost still shows
    /// the state of one of them (WIRE-20).
    package var formerContacts: [Int64]?

    package init(
        contact: Int64, attributes: [String: AttributeValue], formerContacts: [Int64]? = nil
    ) {
        self.contact = contact
        self.attributes = attributes
        self.formerContacts = formerContacts
    }
}

extension DeviceRow {
    static let columns: SQLText = """
        id, app_id, client_id, contact_id, link_generation, confirmed_generation, push_token, push_provider,
        push_environment, token_at, push_enabled, os_push_enabled, opt_out_reason, opt_out_at, platform, os_version,
        app_version, sdk_version, device_model, locale, time_zone, last_opened_at, revision, applied, token_order,
        properties_order, contact_order, created_at, updated_at, epoch
        """

    init(_ row: any SQLRow) throws {
        id = row.integer(0)
        app = row.integer(1)
        client = try DeviceID(row.text(2))
        contact = row.integerIfAny(3)
        linkGeneration = row.integer(4)
        confirmedGeneration = row.integer(5)
        pushToken = try Self.pushToken(row)
        tokenAt = row.dateIfAny(9)
        pushEnabled = row.flagIfAny(10)
        osPushEnabled = row.flagIfAny(11)
        if let reason = row.textIfAny(12).flatMap(OptOutReason.init(rawValue:)) {
            optOut = OptOut(reason: reason, at: row.date(13))
        }
        system = SystemProperties(
            timeZone: row.textIfAny(20), locale: row.textIfAny(19), platform: row.textIfAny(14),
            osVersion: row.textIfAny(15), appVersion: row.textIfAny(16), sdkVersion: row.textIfAny(17),
            deviceModel: row.textIfAny(18)
        )
        lastOpenedAt = row.dateIfAny(21)
        revision = row.integer(22)
        applied = try row.textIfAny(23).map { try JSONText.decode(AppliedSnapshot.self, $0) }
        tokenOrder = row.integer(24)
        propertiesOrder = row.integer(25)
        contactOrder = row.integer(26)
        createdAt = row.date(27)
        updatedAt = row.date(28)
        epoch = row.integer(29)
    }

    private static func pushToken(_ row: any SQLRow) throws -> PushToken? {
        guard let value = row.textIfAny(6) else { return nil }
        guard let provider = PushProvider(rawValue: row.text(7)),
            let environment = PushEnvironment(rawValue: row.text(8))
        else { throw StoreError.corrupted(table: "devices", key: row.text(2)) }
        return try PushToken(value, provider: provider, environment: environment)
    }

    /// The values of every column that may change, in the order of ``DeviceRepository``'s `UPDATE`.
    var changing: [SQLValue] {
        get throws {
            [
                .optional(contact), .integer(linkGeneration), .integer(confirmedGeneration),
                .optional(pushToken?.value), .optional(pushToken?.provider.rawValue),
                .optional(pushToken?.environment.rawValue), .optional(tokenAt), .optional(pushEnabled),
                .optional(osPushEnabled), .optional(optOut?.reason.rawValue), .optional(optOut?.at),
                .optional(system.platform), .optional(system.osVersion), .optional(system.appVersion),
                .optional(system.sdkVersion), .optional(system.deviceModel), .optional(system.locale),
                .optional(system.timeZone), .optional(lastOpenedAt), .integer(revision),
                .optional(try applied.map(JSONText.encode)), .integer(tokenOrder), .integer(propertiesOrder),
                .integer(contactOrder), .integer(epoch), .date(updatedAt),
            ]
        }
    }
}
