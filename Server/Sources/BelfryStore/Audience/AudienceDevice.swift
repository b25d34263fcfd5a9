import BelfryModel
import BelfryServerModel
import Foundation

/// The columns of an audience row that come from the device.
struct AudienceDevice: Sendable {
    var contact: Int64?
    private let isOptedIn: Bool
    private var lastOpenedAt: Int64?
    private let system: SystemProperties

    init(_ device: DeviceRow) {
        contact = device.contact
        isOptedIn = device.consent.isOptedIn
        lastOpenedAt = device.lastOpenedAt?.milliseconds
        system = device.system
    }

    /// - Parameter row: a row with ``columns``.
    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        contact = row.optionalInteger(.contact)
        isOptedIn = row.flag(.isOptedIn)
        lastOpenedAt = row.optionalInteger(.lastOpenedAt)
        system = SystemProperties(
            timeZone: row.optionalText(.timeZone), locale: row.optionalText(.locale),
            platform: row.optionalText(.platform), osVersion: row.optionalText(.osVersion),
            appVersion: row.optionalText(.appVersion), sdkVersion: row.optionalText(.sdkVersion),
            deviceModel: row.optionalText(.deviceModel)
        )
    }

    /// Keeps the column of openings in step with that of the device's own row.
    mutating func keepOpening(of before: AudienceDevice) {
        lastOpenedAt = WideOpening.saved(lastOpenedAt, over: before.lastOpenedAt)
    }

    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case contact, isOptedIn, lastOpenedAt, platform, osVersion, appVersion, sdkVersion, deviceModel, locale
        case timeZone

        var sql: SQLText {
            switch self {
            case .contact: "contact_id"
            case .isOptedIn: "push_opt_in"
            case .lastOpenedAt: "last_opened_at"
            case .platform: "platform"
            case .osVersion: "os_version"
            case .appVersion: "app_version"
            case .sdkVersion: "sdk_version"
            case .deviceModel: "device_model"
            case .locale: "locale"
            case .timeZone: "time_zone"
            }
        }
    }

    private static let ownColumns = Column.allCases.filter { $0 != .contact }

    /// The columns that depend on the device alone.
    static let own = ownColumns.map(\.sql)

    /// The values of ``own``, in its order.
    var values: [SQLValue] { Self.ownColumns.map(value(of:)) }

    private func value(of column: Column) -> SQLValue {
        switch column {
        case .contact: .optional(contact)
        case .isOptedIn: .flag(isOptedIn)
        case .lastOpenedAt: .optional(lastOpenedAt)
        case .platform: .optional(system.platform)
        case .osVersion: .optional(system.osVersion)
        case .appVersion: .optional(system.appVersion)
        case .sdkVersion: .optional(system.sdkVersion)
        case .deviceModel: .optional(system.deviceModel)
        case .locale: .optional(system.locale)
        case .timeZone: .optional(system.timeZone)
        }
    }
}

extension AudienceDevice {
    /// The changes that matter for audiences, without an opening of the app (``AudienceChanges``).
    ///
    /// - Parameter before: the former state; nil for a new device.
    func changes(from before: AudienceDevice?) -> AudienceChanges {
        guard var before, before.contact == contact, before.isOptedIn || !isOptedIn else { return .identity }
        before.lastOpenedAt = lastOpenedAt
        return before.isWritten(as: self) ? [] : .device
    }

    /// Whether both are equal to the last code point; in Swift, two spellings of "é" are equal.
    func isWritten(as other: AudienceDevice) -> Bool {
        zip(values, other.values).allSatisfy { own, others in
            guard case .text(let text) = own, case .text(let otherText) = others else { return own == others }
            return text.utf8.elementsEqual(otherText.utf8)
        }
    }
}

extension DeviceRow {
    /// The consent; a device that has not opted out counts as opted in.
    package var consent: DeviceConsent {
        DeviceConsent(
            hasToken: pushToken != nil, pushEnabled: pushEnabled ?? true, osPushEnabled: osPushEnabled, optOut: optOut
        )
    }

    /// ``DeviceConsent/isOptedIn`` over the table `devices`: 1 or 0 (LED-4).
    static let isOptedInSQL: SQLText = """
        CASE WHEN push_token IS NOT NULL AND coalesce(push_enabled, 1) = 1 AND coalesce(os_push_enabled, 1) = 1
            AND (opt_out_reason IS NULL OR opt_out_reason = \(word: OptOutReason.providerAuthentication))
        THEN 1 ELSE 0 END
        """
}
