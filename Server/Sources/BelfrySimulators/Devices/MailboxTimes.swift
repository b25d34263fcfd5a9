import Foundation

/// How long things last in a mailbox, in seconds.
enum MailboxTimes {
    /// How long a device that polls may stay away between two polls.
    static let pollGrace: TimeInterval = 10
    /// Apple: "APNs may store the notification for 30 days or less".
    static let retention: TimeInterval = 30 * 86_400
}
