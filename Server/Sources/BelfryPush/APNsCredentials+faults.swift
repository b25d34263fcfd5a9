import BelfryModel

extension APNsCredentials {
    /// The refusal of every field that is wrong, where the initialiser tells the first alone.
    package static func faults(
        teamID: String, keyID: String, topic: String, privateKey: String, endpoint: String? = nil,
        sandboxEndpoint: String? = nil, trustRoots: String? = nil
    ) -> [FieldRefusal] {
        [
            fault("teamId") { () throws(Refusal) in _ = try parseID(teamID) },
            fault("keyId") { () throws(Refusal) in _ = try parseID(keyID) },
            fault("topic") { () throws(Refusal) in _ = try parseTopic(topic) },
            fault("privateKey") { () throws(Refusal) in _ = try APNsPrivateKey.parse(privateKey) },
            fault("endpoint") { () throws(Refusal) in if let endpoint { _ = try PushEndpoint(endpoint) } },
            fault("sandboxEndpoint") { () throws(Refusal) in
                if let sandboxEndpoint { _ = try PushEndpoint(sandboxEndpoint) }
            },
            fault("trustRoots") { () throws(Refusal) in if let trustRoots { _ = try TrustRoots.parse(trustRoots) } },
        ].compactMap { $0 }
    }

    private static func fault(_ field: String, _ parse: () throws(Refusal) -> Void) -> FieldRefusal? {
        do {
            try parse()
            return nil
        } catch {
            return FieldRefusal(field: field, refusal: error)
        }
    }
}
