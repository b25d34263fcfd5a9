import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore

extension ServiceWorld {
    /// Gives the app these settings, whatever they are; the app that a ``ServiceDevice`` calls stays as it was made.
    func save(_ settings: AppSettings) async throws {
        let app = app.id
        try await database.write { try $0.apps.save(settings: settings, of: app) }
    }
}

extension ServiceDevice {
    /// Links the device to the contact that a token of the provider proves (ID-3).
    ///
    /// - Parameter settings: the app's, with the provider's keys.
    mutating func prove(_ key: String, by provider: TestIdentityProvider, settings: AppSettings) async throws {
        var caller = self.caller()
        caller.app.settings = settings
        let token = try provider.token(claims: TestIdentityProvider.claims(["sub": "\"\(key)\""]))
        let contact = try world.links.contact(provenBy: token, for: caller)
        keep(try await world.links.identify(contact, field: nil, caller: caller))
    }
}
