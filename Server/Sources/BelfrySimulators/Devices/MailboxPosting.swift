/// What to do with a push that came for a device.
enum MailboxPosting: Sendable, Equatable {
    /// The device listens: give it over.
    case handOver
    /// It waits in the mailbox. It took the place of one with the same collapse id, or the oldest had to go.
    case kept(replaced: Bool, displaced: Bool)
    /// It expired, or was not to be stored.
    case discarded
}
