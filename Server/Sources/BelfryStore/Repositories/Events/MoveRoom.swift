/// How many of a device's events, registrations and messages a transaction may still move or delete. A number of rows
/// does not limit the time: an event may have 64 KiB, and a registration or a message a megabyte (SEC-2, SEC-9).
package struct MoveRoom: Hashable, Sendable {
    /// The bytes of events, registrations and messages together.
    package static let maximumBytes = 8 << 20
    /// The room of a login, of one device in a merge, of what a merge moves beside its devices, of an installation that
    /// ends, or of a step of an erasure.
    package static let atOnce = MoveRoom(events: EventMoveRepository.movedAtOnce)
    /// The room of a step in the background.
    static let later = MoveRoom(events: EventMoveRepository.movedLater)

    /// How many events are scanned, whatever their contacts.
    var events: Int
    var registrations = EventMoveRepository.registrationsAtOnce
    /// Messages of a contact or of an installation.
    var messages = MessageCenterMessageRepository.takenAtOnce
    var bytes = MoveRoom.maximumBytes

    /// Whether there is no room left for one of the kinds, so that another device has to wait.
    package var isFull: Bool { events <= 0 || registrations <= 0 || messages <= 0 || bytes <= 0 }

    private init(events: Int) {
        self.events = events
    }
}
