import BelfryModel
import BelfryPush
import Foundation

extension CredentialVault {
    /// A Google service account, and the endpoint (`PUT …/credentials/fcm`).
    package struct FCMSecret: ProviderSecret {
        package static let provider = PushProvider.fcm

        package struct Facts: Hashable, Sendable {
            package let projectID: String
            package let clientEmail: String
        }

        /// The file from Google, as JSON text.
        package var serviceAccount: String
        package var endpoint: String?
        package var trustRoots: String?

        package init(serviceAccount: String, endpoint: String?, trustRoots: String?) {
            self.serviceAccount = serviceAccount
            self.endpoint = endpoint
            self.trustRoots = trustRoots
        }

        package var errors: [FieldError] {
            FCMCredentials.errors(serviceAccount: serviceAccount, endpoint: endpoint, trustRoots: trustRoots)
        }

        package var hosts: [NamedHost] {
            let tokenURI = try? CheckedJSON.decode(TokenAddress.self, from: serviceAccount.utf8).uri
            return [
                tokenURI.map { NamedHost(field: "serviceAccount.token_uri", host: $0.host) },
                endpoint.flatMap { try? PushEndpoint($0) }.map { NamedHost(field: "endpoint", host: $0.host) },
            ]
            .compactMap { $0 }
        }

        package func parsed() throws(FieldError) -> FCMCredentials {
            try FCMCredentials(serviceAccount: serviceAccount, endpoint: endpoint, trustRoots: trustRoots)
        }

        package static func facts(of credentials: FCMCredentials) -> Facts {
            Facts(projectID: credentials.projectID, clientEmail: credentials.clientEmail)
        }

        /// A push token belongs to the project of the app for which it was created.
        package static func reachTheSameDevices(_ one: FCMCredentials, _ other: FCMCredentials) -> Bool {
            one.reachesTheSameDevices(as: other)
        }
    }

    /// The service account's token address, read alone because other fields may be invalid.
    private struct TokenAddress: Decodable {
        private enum Key: String, CodingKey { case uri = "token_uri" }

        let uri: TokenURI

        init(from decoder: any Decoder) throws {
            uri = try TokenURI(try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .uri))
        }
    }
}
