import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// Validates settings before they are saved. It finds every error, not only the first (ADM-3).
package struct SettingsCheck {
    package static let maximumFields = 50
    package static let maximumFieldLength = 64
    package static let maximumOrigins = 100
    package static let badgeCounts = 1...9_999
    /// Ten years at most. Without the setting, data is kept for good.
    package static let retentionDays = 1...3_650
    /// Two months at least: devices report late pushes, and hourly figures are computed for a month.
    package static let ledgerDays = 60...3_650
    /// A month at least: a device that may come back sooner is not dead.
    package static let dormancyDays = 30...3_650

    private var errors: [FieldError] = []

    /// The settings after the change. Throws all errors of the change, which then changes nothing.
    static func settings(
        _ settings: AppSettings, after change: AppSettingsChange
    ) throws(ServiceError) -> AppSettings {
        var check = SettingsCheck()
        let changed = check.merged(change, into: settings)
        guard let first = check.errors.first else { return changed }
        throw .invalidFields(first, others: Array(check.errors.dropFirst()))
    }

    private mutating func merged(_ change: AppSettingsChange, into settings: AppSettings) -> AppSettings {
        var settings = settings
        change.anonymousContacts.apply(to: &settings.anonymousContacts)
        change.identity.apply(to: &settings.identity)
        if case .set(let openID) = change.openID {
            settings.openID = openID.checked(at: "openID") { errors.append($0) }
        } else {
            change.openID.apply(to: &settings.openID)
        }
        checkProof(settings, after: change)
        contactFields(change.contactFields).apply(to: &settings.contactFields)
        contactField(change.contactField).apply(to: &settings.contactField)
        number(change.maxBadgeCount, "maxBadgeCount", Self.badgeCounts).apply(to: &settings.maxBadgeCount)
        origins(change.allowedOrigins).apply(to: &settings.allowedOrigins)
        timeZone(change.timeZone).apply(to: &settings.timeZone)
        number(change.eventRetentionDays, "eventRetentionDays", Self.retentionDays)
            .apply(to: &settings.eventRetentionDays)
        number(change.deliveryRetentionDays, "deliveryRetentionDays", Self.ledgerDays)
            .apply(to: &settings.deliveryRetentionDays)
        number(change.dormantAfterDays, "dormantAfterDays", Self.dormancyDays).apply(to: &settings.dormantAfterDays)
        change.inAppScripts.apply(to: &settings.inAppScripts)
        change.requiresApproval.apply(to: &settings.requiresApproval)
        return settings
    }

    /// Nobody could link a contact if the app had nothing with which to prove one.
    private mutating func checkProof(_ settings: AppSettings, after change: AppSettingsChange) {
        guard settings.identityMode == .verified, settings.openID == nil else { return }
        reject(
            change.openID == .keep ? "identity" : "openID", "openIDMissing",
            "identity 'verified' needs openID: issuer, audience, claim and jwks, set before or in the same request."
        )
    }

    private mutating func contactFields(_ change: SettingChange<[ContactFieldID]>) -> SettingChange<[String]> {
        switch change {
        case .keep: return .keep
        case .reset: return .reset
        case .set(let raws):
            guard (1...Self.maximumFields).contains(raws.count) else {
                reject(
                    "contactFields", "invalidLength",
                    "It lists 1 to \(Self.maximumFields) contact fields; null allows any field."
                )
                return .keep
            }
            let names = raws.map { $0.rawValue.trimmingCharacters(in: .whitespacesAndNewlines) }
            for (index, name) in names.enumerated() { checkField(name, at: "contactFields[\(index)]") }
            return .set(names.withoutRepetitions)
        }
    }

    private mutating func contactField(_ change: SettingChange<ContactFieldID>) -> SettingChange<String> {
        switch change {
        case .keep: return .keep
        case .reset: return .reset
        case .set(let raw):
            let name = raw.rawValue.trimmingCharacters(in: .whitespacesAndNewlines)
            checkField(name, at: "contactField")
            return .set(name)
        }
    }

    private mutating func checkField(_ name: String, at field: String) {
        guard !name.isNamed(within: Self.maximumFieldLength) else { return }
        reject(field, "invalidLength", "A contact field has 1 to \(Self.maximumFieldLength) characters.")
    }

    private mutating func origins(_ change: SettingChange<[String]>) -> SettingChange<[String]> {
        guard case .set(let raws) = change else { return change }
        guard raws.count <= Self.maximumOrigins else {
            reject("allowedOrigins", "tooMany", "An app has at most \(Self.maximumOrigins) origins.")
            return .keep
        }
        var origins: [String] = []
        for (index, raw) in raws.enumerated() {
            do {
                origins.append(try WebOrigin(raw).rawValue)
            } catch {
                errors.append(FieldError(field: "allowedOrigins[\(index)]", error: error))
            }
        }
        return .set(origins.withoutRepetitions)
    }

    private mutating func timeZone(_ change: SettingChange<String>) -> SettingChange<String> {
        guard case .set(let name) = change else { return change }
        // Abbreviations and offsets are zones as well, but do not name one.
        guard let zone = ZoneName(name), zone.namesOneZone, zone.text != "Z" else {
            reject("timeZone", "unknownTimeZone", "'\(name.prefix(64))' is not an IANA time zone such as Europe/Paris.")
            return .keep
        }
        return change
    }

    private mutating func number(
        _ change: SettingChange<Int>, _ field: String, _ allowed: ClosedRange<Int>
    ) -> SettingChange<Int> {
        guard case .set(let number) = change, !allowed.contains(number) else { return change }
        reject(field, "outOfRange", "It is a whole number from \(allowed.lowerBound) to \(allowed.upperBound).")
        return .keep
    }

    private mutating func reject(_ field: String, _ code: String, _ message: String) {
        errors.append(FieldError(field: field, error: ValueError(code: code, message: message)))
    }
}

extension [String] {
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

extension String {
    /// Whether a name of a setting is within its bounds, which are in characters for people and in bytes for the store.
    func isNamed(within maximumLength: Int) -> Bool {
        utf8.count <= NamingRule.maximumBytes && (1...maximumLength).contains(count) && !utf8.contains(0)
    }
}
