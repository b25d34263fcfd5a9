import BelfryModel
import BelfryRules
import BelfryServerModel
import Foundation

extension AppSettings {
    /// The name of the contact that a link states without proof, if the app accepts that (ID-3, WIRE-2).
    ///
    /// - Parameter field: the contact field. Nil: the app's own.
    func statedName(_ key: ContactKey, field: String?) throws(ServiceError) -> ContactName {
        try rejectUnproven("contactFieldValue")
        let field = try Self.parsed(field)
        guard let contactField else {
            try admitLink(by: field ?? "")
            return .plain(key)
        }
        guard let field, !Self.isSame(field, contactField) else { return .plain(key) }
        try admitLink(by: field)
        return .field(field, key)
    }

    /// The name of the contact that a link states by a party identifier, if the app accepts that (ID-9).
    func statedName(_ party: PartyIdentifier) throws(ServiceError) -> ContactName {
        try rejectUnproven("partyIdentifier")
        return .party(party)
    }

    /// Throws if a proven link names a contact field that the app does not list. The link need not name a field.
    func admitProvenLink(by field: String?) throws(ServiceError) {
        guard let field = try Self.parsed(field) else { return }
        if let contactField, Self.isSame(field, contactField) { return }
        try admitLink(by: field)
    }

    private func rejectUnproven(_ what: String) throws(ServiceError) {
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

    /// The longest contact field in characters, as in the SDK.
    static let maximumFieldLength = SnapshotReading.maximumPropertyLength

    /// The field that a link names, trimmed. Nil if it is empty.
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

    /// Compares code points, as keys are compared.
    private static func isSame(_ field: String, _ other: String) -> Bool {
        field.utf8.elementsEqual(other.utf8)
    }
}
