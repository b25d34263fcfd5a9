import BelfryModel
import BelfryRules
import BelfryServerModel
import Foundation

extension AppSettings {
    /// The name of the contact that a link states and does not prove, if the app takes it (ID-3, WIRE-2).
    ///
    /// - Parameter field: absent, it is the app's own.
    func statedName(_ key: ContactKey, field: String?) throws(ServiceError) -> ContactName {
        try refuseUnproven("contactFieldValue")
        let field = try Self.parsed(field)
        guard let contactField else {
            try admitLink(by: field ?? "")
            return .plain(key)
        }
        guard let field, !Self.isSame(field, contactField) else { return .plain(key) }
        try admitLink(by: field)
        return .field(field, key)
    }

    /// The same by a party identifier (ID-9).
    func statedName(_ party: PartyIdentifier) throws(ServiceError) -> ContactName {
        try refuseUnproven("partyIdentifier")
        return .party(party)
    }

    /// Refuses a proven link that names a contact field which the app does not list. It need not name one.
    func admitProvenLink(by field: String?) throws(ServiceError) {
        guard let field = try Self.parsed(field) else { return }
        if let contactField, Self.isSame(field, contactField) { return }
        try admitLink(by: field)
    }

    private func refuseUnproven(_ what: String) throws(ServiceError) {
        guard identityMode == .open else {
            throw .forbidden(
                code: "openIDRequired",
                message: "This app links contacts only by OpenID tokens. Send openIdToken instead of \(what)."
            )
        }
    }

    private func admitLink(by field: String) throws(ServiceError) {
        guard let contactFields, !contactFields.contains(where: { Self.isSame($0, field) }) else { return }
        throw .forbidden(
            code: "contactFieldNotAllowed",
            message: "This app does not link by '\(field.prefix(64))', only by: "
                + "\(contactFields.joined(separator: ", "))."
        )
    }

    /// Characters of a contact field, as the SDK has it.
    static let maximumFieldLength = SnapshotReading.maximumPropertyLength

    /// The field that a link names, trimmed; an empty one is as good as none.
    private static func parsed(_ field: String?) throws(ServiceError) -> String? {
        guard let field, !field.isEmpty else { return nil }
        let name = field.trimmingCharacters(in: .whitespacesAndNewlines)
        guard name.isNamed(within: maximumFieldLength) else {
            throw .invalid(
                "contactFieldId", "invalidLength", "A contact field has 1 to \(maximumFieldLength) characters."
            )
        }
        return name
    }

    /// To the last code point, as keys are.
    private static func isSame(_ field: String, _ other: String) -> Bool {
        field.utf8.elementsEqual(other.utf8)
    }
}
