import BelfryStore
import Synchronization

/// The apps' accounts at one push service, made of their decrypted credentials, and made again when these are replaced.
final class AccountCache<Secret: ProviderSecret, Account: Sendable>: Sendable {
    private struct Entry {
        let revision: Int64
        let account: Account
    }

    private let vault: CredentialVault
    private let make: @Sendable (Secret.Credentials) -> Account
    private let entries = Mutex<[Int64: Entry]>([:])

    init(vault: CredentialVault, make: @escaping @Sendable (Secret.Credentials) -> Account) {
        self.vault = vault
        self.make = make
    }

    /// Throws when the credentials cannot be decrypted. The lock is held meanwhile: all batches share one account.
    func account(app: Int64, record: CredentialRecord) throws -> Account {
        try entries.withLock { entries in
            if let entry = entries[app], entry.revision == record.revision { return entry.account }
            let account = make(try vault.open(Secret.self, record.sealed, app: app))
            entries[app] = Entry(revision: record.revision, account: account)
            return account
        }
    }
}
