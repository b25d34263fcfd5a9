import Synchronization

/// The service accounts that are known.
final class FCMAccounts: Sendable {
    /// Service accounts that may be registered.
    static let limit = 1_000

    private let accounts = Mutex<[String: FCMSimulator.ServiceAccount]>([:])

    /// Takes an account; one with the same address is replaced. False: the limit is reached.
    func register(_ account: FCMSimulator.ServiceAccount) -> Bool {
        accounts.withLock { accounts in
            guard accounts.count < Self.limit || accounts[account.clientEmail] != nil else { return false }
            accounts[account.clientEmail] = account
            return true
        }
    }

    func account(_ clientEmail: String) -> FCMSimulator.ServiceAccount? {
        accounts.withLock { $0[clientEmail] }
    }
}
