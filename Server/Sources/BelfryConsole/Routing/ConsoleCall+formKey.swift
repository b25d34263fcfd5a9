import BelfryServices

extension ConsoleCall {
    /// The idempotency key of the forms of a page that is shown now (CON-5).
    var newFormKey: String { Hexadecimal.text(services.randomBytes(16)) }

    /// That of the form that was sent; nil for a form without one.
    ///
    /// - Parameters:
    ///   - action: what the audit log calls what the form makes, where the service that makes it writes it there.
    ///   - target: what it is done to; nil: what the form makes.
    func formKey(audit action: String? = nil, to target: String? = nil) throws -> FormKey? {
        guard form.contains("key") else { return nil }
        let line = try action.map { FormKey.Line($0, app: try inApp().code, to: target) }
        guard let key = FormKey(form["key"], of: try principal(), audit: line) else {
            throw ConsoleError.unreadableForm
        }
        return key
    }
}
