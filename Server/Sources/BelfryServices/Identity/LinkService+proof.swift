import BelfryModel

extension LinkService {
    /// The contact that an OpenID token proves to the caller's app (ID-3).
    package func contact(provenBy openIDToken: String, for caller: Caller) throws(OpenIDFault) -> ProvenContact {
        guard let settings = caller.app.settings.openID else { throw .notConfigured }
        let verifier = OpenIDVerifier(settings: settings, now: environment.now(), keys: verificationKeys)
        return try verifier.contact(provenBy: openIDToken)
    }
}
