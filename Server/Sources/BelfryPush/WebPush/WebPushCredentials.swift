import BelfryModel
import Crypto

/// An app's credentials for browsers: the signing key, and an address at which push services can reach the sender.
package struct WebPushCredentials: Sendable {
    /// The maximum length of the subject in bytes.
    package static let maximumSubjectLength = 255

    /// A `mailto:` or `https:` address (RFC 8292 §2.1).
    package let subject: String
    package let privateKey: P256.Signing.PrivateKey
    /// The 65 bytes that a page passes to `pushManager.subscribe` as `applicationServerKey`, in base64url.
    package let publicKey: String
    /// PEM certificates to trust instead of the system's; empty: the system's are trusted.
    package let trustRoots: [String]

    /// The error names the field as the admin API does: `subject`, `privateKey`, `trustRoots`.
    package init(subject: String, privateKey: String, trustRoots: String? = nil) throws(FieldError) {
        self.subject = try FieldError.naming("subject") { () throws(ValueError) in try Self.parseSubject(subject) }
        let key = try FieldError.naming("privateKey") { () throws(ValueError) in try VAPIDPrivateKey.parse(privateKey) }
        self.privateKey = key
        publicKey = Base64URL.encode(key.publicKey.x963Representation)
        self.trustRoots = try FieldError.naming("trustRoots") { () throws(ValueError) in
            if let trustRoots { try TrustRoots.parse(trustRoots) } else { [] }
        }
    }

    /// The errors of all invalid fields. The initializer only throws the first.
    package static func errors(
        subject: String, privateKey: String, trustRoots: String? = nil
    ) -> [FieldError] {
        [
            FieldError.check("subject") { () throws(ValueError) in _ = try parseSubject(subject) },
            FieldError.check("privateKey") { () throws(ValueError) in _ = try VAPIDPrivateKey.parse(privateKey) },
            FieldError.check("trustRoots") { () throws(ValueError) in
                if let trustRoots { _ = try TrustRoots.parse(trustRoots) }
            },
        ].compactMap { $0 }
    }

    /// Whether the subscriptions of these credentials are valid with the others too: a subscription belongs to the key
    /// that it was made with.
    package func reachesTheSameDevices(as other: WebPushCredentials) -> Bool {
        publicKey == other.publicKey
    }

    private static func parseSubject(_ raw: String) throws(ValueError) -> String {
        // No address contains spaces, brackets or characters that JSON escapes; Apple's service rejects brackets.
        let isAllowed: (UInt8) -> Bool = { (0x21...0x7e).contains($0) && !#""\<>"#.utf8.contains($0) }
        guard raw.utf8.count <= maximumSubjectLength, raw.utf8.allSatisfy(isAllowed), isMail(raw) || isPage(raw) else {
            throw ValueError(
                code: "invalidSubject",
                message: "A subject is 'mailto:' and a mail address, or an address that begins with 'https://': at "
                    + "most \(maximumSubjectLength) bytes of visible ASCII. Push services write there if there is "
                    + "trouble."
            )
        }
        return raw
    }

    private static func isMail(_ text: String) -> Bool {
        let scheme = "mailto:".utf8
        guard text.utf8.starts(with: scheme) else { return false }
        let parts = text.utf8.dropFirst(scheme.count).split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func isPage(_ text: String) -> Bool {
        guard text.utf8.starts(with: "https://".utf8), let address = try? WebAddress(text) else { return false }
        return address.isSecure
    }
}

extension WebPushCredentials: CustomStringConvertible {
    /// A description without the private key, so that no log can contain it.
    package var description: String { "Web Push credentials of \(subject), key \(publicKey)" }
}

extension WebPushCredentials {
    /// A new private key, as PEM (PKCS#8).
    ///
    /// - Parameter randomBytes: returns this many secure random bytes, new ones for each call.
    package static func makePrivateKey(randomBytes: (_ count: Int) -> [UInt8]) -> String {
        // One in four thousand million numbers of 32 bytes is not a valid key.
        while true {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: randomBytes(32)) else { continue }
            return key.pemRepresentation
        }
    }
}
