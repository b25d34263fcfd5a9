import BelfryPush
import Foundation

/// Seals provider credentials for the store and opens them again (SEC-1).
package struct CredentialVault: Sendable {
    let keys: ServerKeys

    package init(keys: ServerKeys) {
        self.keys = keys
    }

    /// What an operator PUT, in the shape that is sealed.
    package struct APNsSecret: Hashable, Sendable, Codable {
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

        /// Every field that is wrong.
        var faults: [FieldRefusal] {
            APNsCredentials.faults(
                teamID: teamID, keyID: keyID, topic: topic, privateKey: privateKey, endpoint: endpoint,
                sandboxEndpoint: sandboxEndpoint, trustRoots: trustRoots
            )
        }

        /// Throws the refusal of the first field that is wrong.
        func parsed() throws(FieldRefusal) -> APNsCredentials {
            try APNsCredentials(
                teamID: teamID, keyID: keyID, topic: topic, privateKey: privateKey, endpoint: endpoint,
                sandboxEndpoint: sandboxEndpoint, trustRoots: trustRoots
            )
        }
    }

    func seal(_ secret: APNsSecret, app: Int64) throws -> [UInt8] {
        try keys.seal(Array(JSONEncoder().encode(secret)), context: "apns:\(app)")
    }

    func openAPNs(_ sealed: [UInt8], app: Int64) throws -> APNsCredentials {
        let plain = try keys.open(sealed, context: "apns:\(app)")
        return try JSONDecoder().decode(APNsSecret.self, from: Data(plain)).parsed()
    }
}
