import BelfryServices

extension ConsoleCall {
    /// The idempotency key of the forms of a page that is shown now (CON-5).
    var newFormKey: String { Hexadecimal.text(services.randomBytes(16)) }

    /// That of the form that was sent; nil for a form without one.
    ///
    /// - Parameter action: what the audit log calls what the form makes, where the service that makes it writes it there.
    func formKey(audit action: String? = nil) throws -> FormKey? {
        guard form.contains("key") else { return nil }
        guard let key = FormKey(form["key"], of: try principal(), audit: action) else {
            throw ConsoleError.unreadableForm
        }
        return key
    }
}
