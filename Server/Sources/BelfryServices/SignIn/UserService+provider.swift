import BelfryModel
import BelfryStore
import Crypto
import Foundation

extension UserService {
    /// People of a provider who have no role and run nothing: everybody with an account there may become one (SEC-2).
    static let maximumWithoutRole = 1_000

    /// The person whom a provider calls so; made, without any role, when they come for the first time.
    ///
    /// Their name is their e-mail address if the provider has verified it and nobody else has it here, and else one that
    /// nobody can choose: roles are given by name, and nobody gets another one's by calling themselves so. The audit log has
    /// who was made by the same transaction (ADM-1).
    func person(
        of issuer: String, subject: String, email: String?, displayName: String?
    ) async throws -> UserRow {
        let now = environment.now()
        let shown = displayName.flatMap { text -> String? in
            let beginning = text.unicodeScalars.prefix(Self.maximumDisplayNameLength)
            return try? Self.displayName(String(String.UnicodeScalarView(beginning)))
        }
        let own = Self.name(of: subject, issuer: issuer)
        return try await database.write { connection in
            if var user = try connection.users.find(issuer: issuer, subject: subject) {
                if let shown, shown != user.displayName {
                    user.displayName = shown
                    try connection.users.save(user)
                }
                return user
            }
            guard try connection.users.countWithoutRole(issuer: issuer) < Self.maximumWithoutRole else {
                throw ProviderError.tooManyPeople
            }
            let name = try Self.free(email, in: connection) ?? own
            let id: Int64
            do {
                id = try connection.users.insert(
                    name: name, displayName: shown ?? name, password: nil, issuer: issuer, subject: subject,
                    isOperator: false, now: now
                )
            } catch StoreError.duplicate {
                // Another server is just making them; the next attempt finds them.
                throw ProviderError.tooManyAtOnce
            }
            guard let user = try connection.users.find(id: id) else {
                throw StoreError.corrupted(table: "users", key: name)
            }
            // They made themselves.
            try connection.audit.append(
                AuditEntry(
                    at: now, actor: SignedInUser.actor(name), app: nil, action: "user.create", target: String(id)
                )
            )
            return user
        }
    }

    private static func free(_ email: String?, in connection: any SQLConnection) throws -> String? {
        guard let email, email.utf8.contains(UInt8(ascii: "@")), let name = try? UserName(email) else { return nil }
        return try connection.users.find(name: name.text) == nil ? name.text : nil
    }

    /// The same for the same person each time, and hardly for another.
    private static func name(of subject: String, issuer: String) -> String {
        let digest = SHA256.hash(data: Data("\(issuer)\n\(subject)".utf8))
        return "person-" + digest.prefix(10).map { String(format: "%02x", $0) }.joined()
    }
}
