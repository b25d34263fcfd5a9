import BelfryModel
import BelfryPush

extension CredentialVault {
    /// The signing key for APNs, and the endpoints (`PUT …/credentials/apns`).
    package struct APNsSecret: ProviderSecret {
        package static let provider = PushProvider.apns

        package struct Facts: Hashable, Sendable {
            package let teamID: String
            package let keyID: String
            package let topic: String
        }

        package var teamID: String
        package var keyID: String
        package var topic: String
        package var privateKey: String
        package var endpoint: String?
        package var sandboxEndpoint: String?
        package var trustRoots: String?

        package init(
            teamID: String, keyID: String, topic: String, privateKey: String, endpoint: String?,
            sandboxEndpoint: String?, trustRoots: String?
        ) {
            self.teamID = teamID
            self.keyID = keyID
            self.topic = topic
            self.privateKey = privateKey
            self.endpoint = endpoint
            self.sandboxEndpoint = sandboxEndpoint
            self.trustRoots = trustRoots
        }

        package var errors: [FieldError] {
            APNsCredentials.errors(
                teamID: teamID, keyID: keyID, topic: topic, privateKey: privateKey, endpoint: endpoint,
                sandboxEndpoint: sandboxEndpoint, trustRoots: trustRoots
            )
        }

        package var hosts: [NamedHost] {
            [("endpoint", endpoint), ("sandboxEndpoint", sandboxEndpoint)].compactMap { field, text in
                guard let text, let endpoint = try? PushEndpoint(text) else { return nil }
                return NamedHost(field: field, host: endpoint.host)
            }
        }

        package func parsed() throws(FieldError) -> APNsCredentials {
            try APNsCredentials(
                teamID: teamID, keyID: keyID, topic: topic, privateKey: privateKey, endpoint: endpoint,
                sandboxEndpoint: sandboxEndpoint, trustRoots: trustRoots
            )
        }

        package static func facts(of credentials: APNsCredentials) -> Facts {
            Facts(teamID: credentials.teamID, keyID: credentials.keyID, topic: credentials.topic)
        }

        package static func reachTheSameDevices(_ one: APNsCredentials, _ other: APNsCredentials) -> Bool {
            one.reachesTheSameDevices(as: other)
        }
    }
}
