import BelfryModel
import CryptoExtras
import Foundation

/// The JSON file that Google issues for a service account, with the members that sending needs.
struct ServiceAccount: Sendable {
    /// The maximum length in bytes; Google's files have about 2,400.
    static let maximumLength = 65_536

    let projectID: String
    let clientEmail: String
    /// The key's id, which Google uses to find the key; a file without one works as well.
    let privateKeyID: String?
    let privateKey: _RSA.Signing.PrivateKey
    let tokenURI: TokenURI

    init(_ json: String) throws(FieldError) {
        let file = try FieldError.naming(Self.field) { () throws(ValueError) in try File(json) }
        if let error = file.typeError { throw error }
        projectID = try file.naming("project_id", Self.parseProjectID)
        clientEmail = try file.naming("client_email", Self.parseEmail)
        privateKeyID = try file.namingOptional("private_key_id", Self.parseKeyID)
        privateKey = try file.naming("private_key", ServiceAccountKey.parse)
        tokenURI = try file.naming("token_uri") { text throws(ValueError) in try TokenURI(text) }
    }

    /// The errors of all invalid fields. The initializer only throws the first.
    static func errors(_ json: String) -> [FieldError] {
        let file: File
        do {
            file = try File(json)
        } catch {
            return [FieldError(field: field, error: error)]
        }
        return [
            file.typeError,
            file.check("project_id", parseProjectID),
            file.check("client_email", parseEmail),
            file.check("private_key_id", isOptional: true, parseKeyID),
            file.check("private_key", ServiceAccountKey.parse),
            file.check("token_uri") { text throws(ValueError) in try TokenURI(text) },
        ].compactMap { $0 }
    }

    /// The admin API's name of the whole file.
    private static let field = "serviceAccount"

    /// The members of the file that are texts.
    private struct File {
        private let texts: [String: String]

        init(_ json: String) throws(ValueError) {
            guard json.utf8.count <= maximumLength else {
                throw ValueError(code: "tooLong", message: "A service account has at most \(maximumLength) bytes.")
            }
            guard let values = try? CheckedJSON.decode([String: Value].self, from: json.utf8) else {
                throw ValueError(
                    code: "invalidServiceAccount",
                    message: "It is not a JSON object. Allowed is the JSON file of a service account's key, as "
                        + "Google's console provides it."
                )
            }
            texts = values.compactMapValues(\.text)
        }

        var typeError: FieldError? {
            guard texts["type"] != "service_account" else { return nil }
            let message =
                "Allowed is the JSON file of a service account's key, whose 'type' is 'service_account'. Other "
                + "credentials of Google, such as 'authorized_user', cannot send."
            return fieldError("type", ValueError(code: "invalidType", message: message))
        }

        func naming<Value>(
            _ name: String, _ parse: (String) throws(ValueError) -> Value
        ) throws(FieldError) -> Value {
            guard let text = texts[name], !text.isEmpty else { throw missing(name) }
            do {
                return try parse(text)
            } catch {
                throw fieldError(name, error)
            }
        }

        func namingOptional<Value>(
            _ name: String, _ parse: (String) throws(ValueError) -> Value
        ) throws(FieldError) -> Value? {
            texts[name] == nil ? nil : try naming(name, parse)
        }

        func check<Value>(
            _ name: String, isOptional: Bool = false, _ parse: (String) throws(ValueError) -> Value
        ) -> FieldError? {
            do {
                _ = isOptional ? try namingOptional(name, parse) : try naming(name, parse)
                return nil
            } catch {
                return error
            }
        }

        private func missing(_ name: String) -> FieldError {
            fieldError(name, ValueError(code: "missing", message: "The service account has no text '\(name)'."))
        }

        private func fieldError(_ name: String, _ error: ValueError) -> FieldError {
            FieldError(field: "\(field).\(name)", error: error)
        }
    }

    /// A value that may be of another type than text; only the needed ones are checked.
    private struct Value: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}

extension ServiceAccount {
    /// The maximum length in bytes of a project id, an e-mail address and a key id.
    private static let maximumNameLength = 255

    /// A project id: `my-project-1`, or with an organization's domain: `example.com:my-project`. It becomes part of the
    /// address.
    private static func parseProjectID(_ raw: String) throws(ValueError) -> String {
        let isAllowed: (UInt8) -> Bool = { $0.isASCIIAlphanumeric || "-.:".utf8.contains($0) }
        guard (1...maximumNameLength).contains(raw.utf8.count), raw.utf8.allSatisfy(isAllowed), raw != ".", raw != ".."
        else {
            throw ValueError(
                code: "invalidProjectId",
                message: "A project id has 1 to \(maximumNameLength) letters, digits, '-', '.' or ':'."
            )
        }
        return raw
    }

    private static func parseEmail(_ raw: String) throws(ValueError) -> String {
        guard isName(raw), raw.utf8.contains(UInt8(ascii: "@")) else {
            throw ValueError(
                code: "invalidEmail",
                message: "It is the e-mail address of the service account: visible ASCII with an '@'."
            )
        }
        return raw
    }

    private static func parseKeyID(_ raw: String) throws(ValueError) -> String {
        guard isName(raw) else {
            throw ValueError(
                code: "invalidKeyId",
                message: "A key id has 1 to \(maximumNameLength) visible ASCII characters without quotes."
            )
        }
        return raw
    }

    /// Whether the text needs no escape in a JSON Web Token.
    private static func isName(_ text: String) -> Bool {
        (1...maximumNameLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !#""\"#.utf8.contains($0) }
    }
}
