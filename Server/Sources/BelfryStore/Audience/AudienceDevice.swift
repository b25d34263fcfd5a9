import BelfryModel
import Foundation

/// What an audience row has of its device.
struct AudienceDevice: Sendable {
    var contact: Int64?
    private let isOptedIn: Bool
    private let lastOpenedAt: Int64?
    private let system: SystemProperties

    init(_ device: DeviceRow) {
        contact = device.contact
        isOptedIn = device.isOptedIn
        lastOpenedAt = device.lastOpenedAt?.milliseconds
        system = device.system
    }

    /// - Parameter row: one with ``columns``.
    init(_ row: any SQLRow) {
        contact = row.integerIfAny(0)
        isOptedIn = row.flag(1)
        lastOpenedAt = row.integerIfAny(2)
        system = SystemProperties(
            timeZone: row.textIfAny(9), locale: row.textIfAny(8), platform: row.textIfAny(3),
            osVersion: row.textIfAny(4), appVersion: row.textIfAny(5), sdkVersion: row.textIfAny(6),
            deviceModel: row.textIfAny(7)
        )
    }

    static let columns: SQLText = "contact_id, \(own.joined(by: ", "))"

    /// Those that come from nothing but the device, in the order of ``values``.
    static let own: [SQLText] = [
        "push_opt_in", "last_opened_at", "platform", "os_version", "app_version", "sdk_version", "device_model",
        "locale", "time_zone",
    ]

    var values: [SQLValue] {
        [
            .flag(isOptedIn), .optional(lastOpenedAt), .optional(system.platform), .optional(system.osVersion),
            .optional(system.appVersion), .optional(system.sdkVersion), .optional(system.deviceModel),
            .optional(system.locale), .optional(system.timeZone),
        ]
    }
}

extension AudienceDevice {
    /// Whether both write the same to the last code point; for Swift, two spellings of "é" are equal.
    func isWritten(as other: AudienceDevice) -> Bool {
        zip(values, other.values).allSatisfy { own, others in
            guard case .text(let text) = own, case .text(let otherText) = others else { return own == others }
            return text.utf8.elementsEqual(otherText.utf8)
        }
    }
}

extension DeviceRow {
    /// Who does not say no, agrees.
    package var consent: DeviceConsent {
        DeviceConsent(
            hasToken: pushToken != nil, pushEnabled: pushEnabled ?? true, osPushEnabled: osPushEnabled, optOut: optOut
        )
    }

    /// Whether a push may be sent to it. The same as ``isOptedInSQL`` (LED-4).
    var isOptedIn: Bool { consent.suppression == nil }

    /// 1 or 0, over the table `devices`.
    static let isOptedInSQL: SQLText = """
        CASE WHEN push_token IS NOT NULL AND coalesce(push_enabled, 1) = 1 AND coalesce(os_push_enabled, 1) = 1
            AND (opt_out_reason IS NULL OR opt_out_reason = \(word: OptOutReason.providerAuthentication))
        THEN 1 ELSE 0 END
        """
}
