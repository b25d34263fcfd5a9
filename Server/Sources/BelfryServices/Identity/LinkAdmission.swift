import BelfryModel
import BelfryServerModel

extension AppSettings {
    /// Refuses a link that states a contact key and proves nothing, unless the app takes it (ID-3, WIRE-2).
    func admitStatedLink(by field: String?) throws(ServiceError) {
        guard identityMode == .open else {
            throw .forbidden(
                code: "openIDRequired",
                message: "This app links contacts only by OpenID tokens. Send openIdToken instead of contactFieldValue."
            )
        }
        try admitLink(by: field ?? "")
    }

    /// Refuses a proven link that names a contact field which the app does not list. It need not name one.
    func admitProvenLink(by field: String?) throws(ServiceError) {
        guard let field else { return }
        try admitLink(by: field)
    }

    private func admitLink(by field: String) throws(ServiceError) {
        guard let contactFields, !contactFields.contains(field) else { return }
        throw .forbidden(
            code: "contactFieldNotAllowed",
            message: "This app does not link by '\(field.prefix(64))', only by: "
                + "\(contactFields.joined(separator: ", "))."
        )
    }
}
