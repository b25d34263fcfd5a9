import BelfryModel
import BelfryRules
import Foundation

/// What a person sees of the message centre (ENG-2, ENG-3).
extension EventRecorder {
    /// A longer id is none of a message.
    static let maximumMessageIDLength = 128

    /// A message was opened: counted each time.
    func trackOpen(of message: String) throws(BelfryError) {
        try Self.check(message)
        let opened = try storage.opened()
        let event = try queued(.internal, .messageCenterOpen, attributes: Self.attributes(message))
        noticed(try opened.store.append(event), by: event)
    }

    /// The event that counts a display, for the engine to store together with the session.
    func display(of message: String, id: String, at date: Date) throws(BelfryError) -> QueuedEvent {
        let context = storage.context.withLock { $0 }
        return try queued(
            .internal,
            .messageCenterDisplay,
            attributes: Self.attributes(message),
            at: date,
            context: context,
            id: try? EventID(id)
        )
    }

    /// - Throws: ``BelfryError/Code/invalidEvent`` for what is no id of a message.
    static func check(_ message: String) throws(BelfryError) {
        guard !message.isEmpty, message.count <= maximumMessageIDLength else {
            throw BelfryError(
                .invalidEvent,
                "The id of a message has 1 to \(maximumMessageIDLength) characters.",
                field: "messageID"
            )
        }
    }

    private static func attributes(_ message: String) -> [String: AttributeValue] {
        ["messageId": .string(message)]
    }
}
