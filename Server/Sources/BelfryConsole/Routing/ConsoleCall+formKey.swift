import BelfryServices

extension ConsoleCall {
    /// The idempotency key of the forms of a page that is shown now (CON-5).
    var newFormKey: String { Hexadecimal.text(services.randomBytes(16)) }

    /// That of the form that was sent; nil for a form without one.
    func formKey() throws -> FormKey? {
        guard form.contains("key") else { return nil }
        guard let key = FormKey(form["key"], of: try principal()) else { throw ConsoleError.unreadableForm }
        return key
    }
}
