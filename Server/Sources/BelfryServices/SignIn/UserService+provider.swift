import BelfryModel
import BelfryStore
import Crypto
import Foundation

extension UserService {
    /// The most people of a provider without a role who are not operators: everybody with an account there may become
    /// one (SEC-2).
    static let maximumWithoutRole = 1_000

    /// The person with the provider's subject. A new person is created without any role.
    ///
    /// Their name is their e-mail address if the provider has verified it and nobody else has it here; otherwise one
    /// that nobody can choose. Roles are given by name, so nobody can get another person's role by choosing their name.
    /// The same transaction writes the new person to the audit log (ADM-1).
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
                // Another process is creating the person; the next attempt finds them.
                throw ProviderError.tooManyAtOnce
            }
            guard let user = try connection.users.find(id: id) else {
                throw StoreError.corrupted(table: "users", key: name)
            }
            // The audit log names the person as the author of their own account.
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

    /// The name of a person without a usable e-mail address. It is always the same for one person, and hardly ever for
    /// two.
    private static func name(of subject: String, issuer: String) -> String {
        let digest = SHA256.hash(data: Data("\(issuer)\n\(subject)".utf8))
        return "person-" + digest.prefix(10).map { String(format: "%02x", $0) }.joined()
    }
}
