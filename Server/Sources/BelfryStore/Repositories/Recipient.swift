import BelfryModel
import Foundation

/// A device that a campaign still has to serve, with what is needed to decide and to send.
///
/// A reference, though it never changes: it is passed on from step to step, and a copy would count a dozen others.
package final class Recipient: Sendable {
    package let device: Int64
    package let client: DeviceID
    package let contact: Int64?
    package let attempts: Int
    package let retryAt: Date?
    /// When the message may leave where the recipient is; nil when it never had to wait for that.
    package let dueAt: Date?
    /// The first attempt.
    package let triedAt: Date?
    /// What the last attempt met.
    package let note: String?
    package let pushToken: PushToken?
    package let tokenAt: Date?
    /// Whether it may get a push.
    package let consent: DeviceConsent
    package let locale: String?
    package let timeZone: String?
    /// What the campaign's templates ask for, in the order in which it was asked.
    package let values: [String?]

    /// - Parameter row: of ``columns(ledger:values:)``.
    init(_ row: any SQLRow, valueCount: Int) {
        device = row.integer(0)
        attempts = Int(row.integer(1))
        retryAt = row.dateIfAny(2)
        dueAt = row.dateIfAny(3)
        triedAt = row.dateIfAny(4)
        note = row.textIfAny(5)
        client = DeviceID(stored: row.text(6))
        contact = row.integerIfAny(7)
        pushToken = Self.token(row)
        tokenAt = row.dateIfAny(11)
        consent = DeviceConsent(
            hasToken: pushToken != nil, pushEnabled: row.flagIfAny(12) ?? true, osPushEnabled: row.flagIfAny(13),
            optOut: row.textIfAny(14).flatMap(OptOutReason.init(rawValue:)).map { OptOut(reason: $0, at: row.date(15)) }
        )
        locale = row.textIfAny(16)
        timeZone = row.textIfAny(17)
        values = (0..<valueCount).map { row.textIfAny(Self.firstValue + $0) }
    }
}

/// A value that a template shows, and where it is stored.
package enum RecipientValue: Hashable, Sendable {
    /// The contact's.
    case attribute(String)
    case device(DeviceProperty)
    case contactKey
}

extension Recipient {
    /// Of `devices d`, behind the two of `source`.
    private static let deviceColumns: SQLText = """
        d.client_id, d.contact_id, d.push_token, d.push_provider, d.push_environment, d.token_at, d.push_enabled,
        d.os_push_enabled, d.opt_out_reason, d.opt_out_at, d.locale, d.time_zone
        """

    /// The columns of one recipient: what the ledger says of it, the device, the values.
    static func columns(ledger: SQLText, values: [SQLText]) -> SQLText {
        ([ledger, deviceColumns] + values).joined(by: ", ")
    }

    /// What a device has in the ledger before a campaign knows it.
    static let unplanned: SQLText = "d.id, 0, NULL, NULL, NULL, NULL"
    /// What it has in `deliveries l`.
    static let planned: SQLText = "l.device_id, l.attempts, l.retry_at, l.due_at, l.tried_at, l.note"

    private static let firstValue = 18

    private static func token(_ row: any SQLRow) -> PushToken? {
        guard let value = row.textIfAny(8), let provider = PushProvider(rawValue: row.text(9)),
            let environment = PushEnvironment(rawValue: row.text(10))
        else { return nil }
        return PushToken(stored: value, provider: provider, environment: environment)
    }
}
