import Foundation

/// Whether a device is there.
enum MailboxPresence: Sendable, Equatable {
    case away
    /// It listens to a stream.
    case listening
    /// It polls over HTTP; between two polls it counts as there until this time.
    case polling(until: Date)
}
