import BelfryModel

extension APNsCredentials {
    /// The refusal of every field that is wrong, where the initialiser tells the first alone.
    package static func faults(
        teamID: String, keyID: String, topic: String, privateKey: String, endpoint: String? = nil,
        sandboxEndpoint: String? = nil, trustRoots: String? = nil
    ) -> [FieldRefusal] {
        [
            FieldRefusal.fault("teamId") { () throws(Refusal) in _ = try parseID(teamID) },
            FieldRefusal.fault("keyId") { () throws(Refusal) in _ = try parseID(keyID) },
            FieldRefusal.fault("topic") { () throws(Refusal) in _ = try parseTopic(topic) },
            FieldRefusal.fault("privateKey") { () throws(Refusal) in _ = try APNsPrivateKey.parse(privateKey) },
            FieldRefusal.fault("endpoint") { () throws(Refusal) in if let endpoint { _ = try PushEndpoint(endpoint) } },
            FieldRefusal.fault("sandboxEndpoint") { () throws(Refusal) in
                if let sandboxEndpoint { _ = try PushEndpoint(sandboxEndpoint) }
            },
            FieldRefusal.fault("trustRoots") { () throws(Refusal) in
                if let trustRoots { _ = try TrustRoots.parse(trustRoots) }
            },
        ].compactMap { $0 }
    }
}
