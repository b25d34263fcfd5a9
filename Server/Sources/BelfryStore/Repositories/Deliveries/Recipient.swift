import BelfryModel
import BelfryServerModel
import Foundation

/// A device that a campaign still has to serve, with everything that is needed to decide and to send.
///
/// It is a class although it never changes: it is passed from step to step, and a copy would retain a dozen other
/// objects.
package final class Recipient: Sendable {
    package let device: Int64
    package let client: DeviceID
    package let contact: Int64?
    /// The contact whose recipient tag the device expects in pushes (ID-4).
    package let tagContact: Int64?
    package let attempts: Int
    package let retryAt: Date?
    /// When the message may be sent in the recipient's time zone; nil if it never had to wait for that.
    package let dueAt: Date?
    /// The time of the first attempt.
    package let triedAt: Date?
    /// The result of the last attempt.
    package let note: String?
    package let pushToken: PushToken?
    package let tokenAt: Date?
    /// Whether the device may get a push.
    package let consent: DeviceConsent
    package let locale: String?
    package let timeZone: String?
    /// The Mobile Engage v3 client that reads the push; nil for any other client.
    package let v3: V3Client?
    package let format: PushFormat
    /// The values of the campaign's templates, in the order requested.
    package let values: [String?]
    /// Whether the message was placed, or there is none to place (MC-16).
    package let isPlaced: Bool

    package var valueBytes: Int { values.reduce(0) { $0 + ($1?.utf8.count ?? 0) } }

    /// - Parameter source: a row with ``columns(_:values:)``.
    init(_ source: any SQLRow, valueCount: Int) {
        let row = ResultRow<Column>(source)
        device = row.integer(.device)
        attempts = Int(row.integer(.attempts))
        retryAt = row.optionalDate(.retryAt)
        dueAt = row.optionalDate(.dueAt)
        triedAt = row.optionalDate(.triedAt)
        note = row.optionalText(.note)
        client = DeviceID(stored: row.text(.client))
        contact = row.optionalInteger(.contact)
        tagContact = row.optionalInteger(.tagContact)
        pushToken = Self.token(row)
        tokenAt = row.optionalDate(.tokenAt)
        consent = DeviceConsent(
            hasToken: pushToken != nil, pushEnabled: row.optionalFlag(.pushEnabled) ?? true,
            osPushEnabled: row.optionalFlag(.osPushEnabled),
            optOut: row.optionalText(.optOutReason).flatMap(OptOutReason.init(rawValue:)).map {
                OptOut(reason: $0, at: row.date(.optOutAt))
            }
        )
        locale = row.optionalText(.locale)
        timeZone = row.optionalText(.timeZone)
        isPlaced = !row.isNull(.placed)
        v3 = row.optionalText(.v3Version).map { V3Client(version: $0, channel: row.optionalText(.v3Channel)) }
        format = PushFormat(v3)
        values = Self.valuePlaces(valueCount).map { source.optionalText($0) }
    }

    /// The recipient as the ledger would have it after an update; for simulations of later steps.
    ///
    /// - Parameter isPlaced: whether the message has been placed since.
    package convenience init(_ other: Recipient, after update: DeliveryUpdate?, isPlaced: Bool) {
        self.init(other, after: update, isPlaced: isPlaced, values: other.values)
    }

    /// The recipient with other values.
    convenience init(_ other: Recipient, values: [String?]) {
        self.init(other, after: nil, isPlaced: other.isPlaced, values: values)
    }

    private init(_ other: Recipient, after update: DeliveryUpdate?, isPlaced: Bool, values: [String?]) {
        device = other.device
        client = other.client
        contact = other.contact
        tagContact = other.tagContact
        attempts = update?.attempts ?? other.attempts
        retryAt = update.map(\.retryAt) ?? other.retryAt
        dueAt = update?.due?.at ?? other.dueAt
        triedAt = other.triedAt ?? update?.triedAt
        note = update.map(\.note) ?? other.note
        pushToken = other.pushToken
        tokenAt = other.tokenAt
        consent = other.consent
        locale = other.locale
        timeZone = other.timeZone
        v3 = other.v3
        format = other.format
        self.values = values
        self.isPlaced = isPlaced
    }
}

/// A value that a template shows, and where it is stored.
package enum RecipientValue: Hashable, Sendable {
    /// An attribute of the contact.
    case attribute(String)
    case device(DeviceProperty)
    case contactKey
    case party(PartyPart)
}

extension Recipient {
    enum Column: Int, ResultColumn {
        case device, attempts, retryAt, dueAt, triedAt, note, client, contact, pushToken, pushProvider
        case pushEnvironment, tokenAt, pushEnabled, osPushEnabled, optOutReason, optOutAt, locale, timeZone, v3Version
        case v3Channel, placed, tagContact

        /// The expression over `deliveries l` and `devices d`.
        var sql: SQLText {
            switch self {
            case .device: "l.device_id"
            case .attempts: "l.attempts"
            case .retryAt: "l.retry_at"
            case .dueAt: "l.due_at"
            case .triedAt: "l.tried_at"
            case .note: "l.note"
            case .client: "d.client_id"
            case .contact: "d.contact_id"
            case .pushToken: "d.push_token"
            case .pushProvider: "d.push_provider"
            case .pushEnvironment: "d.push_environment"
            case .tokenAt: "d.token_at"
            case .pushEnabled: "d.push_enabled"
            case .osPushEnabled: "d.os_push_enabled"
            case .optOutReason: "d.opt_out_reason"
            case .optOutAt: "d.opt_out_at"
            case .locale: "d.locale"
            case .timeZone: "d.time_zone"
            case .v3Version: "d.v3_version"
            case .v3Channel: "d.v3_channel"
            case .placed: "l.placed"
            // The device's own contact, except after a merge that no answered link has told the device about (ADM-5).
            case .tagContact:
                "CASE WHEN d.tag_generation >= d.confirmed_generation THEN d.tag_contact_id ELSE d.contact_id END"
            }
        }

        /// The expression for a device that is not in the campaign's ledger.
        var unplanned: SQLText {
            switch self {
            case .device: "d.id"
            case .attempts: "0"
            case .retryAt, .dueAt, .triedAt, .note, .placed: "NULL"
            default: sql
            }
        }
    }

    /// The selected values of one recipient: ``planned`` or ``unplanned``, then the template values.
    static func columns(_ own: SQLText, values: [SQLText]) -> SQLText {
        ([own] + values).joined(by: ", ")
    }

    /// The columns of a device that is in the ledger.
    static let planned = Column.selectList
    /// The columns of a device that is not in the ledger.
    static let unplanned = Column.allCases.map(\.unplanned).joined(by: ", ")

    /// The positions of so many template values in a row.
    static func valuePlaces(_ count: Int) -> [Int] { Array(Column.columnCount..<(Column.columnCount + count)) }

    private static func token(_ row: ResultRow<Column>) -> PushToken? {
        guard let value = row.optionalText(.pushToken), let provider = PushProvider(rawValue: row.text(.pushProvider)),
            let environment = PushEnvironment(rawValue: row.text(.pushEnvironment))
        else { return nil }
        return PushToken(stored: value, provider: provider, environment: environment)
    }
}
