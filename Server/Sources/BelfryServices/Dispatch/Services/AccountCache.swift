import BelfryStore
import Synchronization

/// The apps' accounts at one push service, made from their decrypted credentials, and made again when the credentials
/// are replaced.
final class AccountCache<Secret: ProviderSecret, Account: Sendable>: Sendable {
    private struct Entry {
        let revision: Int64
        let account: Account
    }

    private let vault: CredentialVault
    private let make: @Sendable (Secret.Credentials, _ former: Account?) -> Account
    private let entries = Mutex<[Int64: Entry]>([:])

    /// - Parameter make: makes an account; `former` is the account with the credentials that were replaced.
    init(vault: CredentialVault, make: @escaping @Sendable (Secret.Credentials, _ former: Account?) -> Account) {
        self.vault = vault
        self.make = make
    }

    /// The account for these credentials. Throws if they cannot be decrypted. The lock is held during the decryption,
    /// because all batches share one account.
    func account(app: Int64, record: CredentialRecord) throws -> Account {
        try entries.withLock { entries in
            let former = entries[app]
            if let former, former.revision == record.revision { return former.account }
            let account = make(try vault.open(Secret.self, record.sealed, app: app), former?.account)
            entries[app] = Entry(revision: record.revision, account: account)
            return account
        }
    }
}
