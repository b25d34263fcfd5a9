import BelfryModel
import BelfryPush

extension CredentialVault {
    /// The key pair that identifies the sender to push services (VAPID, `PUT …/credentials/webpush`).
    package struct WebPushSecret: ProviderSecret {
        package static let provider = PushProvider.webpush

        package struct Facts: Hashable, Sendable {
            /// The public key in base64url, with which web pages subscribe.
            package let publicKey: String
            package let subject: String
        }

        package var subject: String
        package var privateKey: String
        package var trustRoots: String?

        package init(subject: String, privateKey: String, trustRoots: String?) {
            self.subject = subject
            self.privateKey = privateKey
            self.trustRoots = trustRoots
        }

        package var errors: [FieldError] {
            WebPushCredentials.errors(subject: subject, privateKey: privateKey, trustRoots: trustRoots)
        }

        /// Empty: each subscription has its own endpoint.
        package var hosts: [NamedHost] { [] }

        package func parsed() throws(FieldError) -> WebPushCredentials {
            try WebPushCredentials(subject: subject, privateKey: privateKey, trustRoots: trustRoots)
        }

        package static func facts(of credentials: WebPushCredentials) -> Facts {
            Facts(publicKey: credentials.publicKey, subject: credentials.subject)
        }

        /// A subscription is valid for the key with which it was created (RFC 8292 §4).
        package static func reachTheSameDevices(_ one: WebPushCredentials, _ other: WebPushCredentials) -> Bool {
            one.reachesTheSameDevices(as: other)
        }
    }
}
