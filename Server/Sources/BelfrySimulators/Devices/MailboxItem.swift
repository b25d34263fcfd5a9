import Foundation

/// A push as a mailbox sees it.
protocol MailboxItem: Sendable {
    /// Numbers the pushes of one device from 1.
    var sequence: Int { get }
    /// An undelivered push with the same one is replaced.
    var collapseID: String? { get }
    /// Seconds since 1970; 0: delivered now or never; nil: as long as a service stores.
    var expiration: Int? { get }
    var acceptedAt: Date { get }
}
