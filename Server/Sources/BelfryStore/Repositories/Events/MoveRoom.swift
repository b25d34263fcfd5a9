/// How much of what a device has sent and registered a transaction still gives to another contact, or removes. A number of
/// rows bounds no time: an event may have 64 KiB, and a registration or a message a megabyte (SEC-2, SEC-9).
package struct MoveRoom: Hashable, Sendable {
    /// Bytes of events, registrations and messages together.
    package static let maximumBytes = 8 << 20
    /// Of a login, of one device in a merge, of a revoked device, or of a step of an erasure.
    package static let atOnce = MoveRoom(events: EventMoveRepository.movedAtOnce)
    /// Of a step in the background.
    static let later = MoveRoom(events: EventMoveRepository.movedLater)

    /// How many are looked through, whoever they are of.
    var events: Int
    var registrations = EventMoveRepository.registrationsAtOnce
    /// In an inbox; they are removed only.
    var messages = MessageCenterMessageRepository.removedAtOnce
    var bytes = MoveRoom.maximumBytes

    /// Whether there is no room for any more of one kind, so that a device of which nothing was taken yet has to wait.
    package var isFull: Bool { events <= 0 || registrations <= 0 || messages <= 0 || bytes <= 0 }

    private init(events: Int) {
        self.events = events
    }
}
