import BelfryModel
import BelfryWire

extension Event: Described {
    static let schema: JSONSchema = .object(
        [
            "type": .word(["custom", "internal"]).described("Tracked by the app, or created by the SDK."),
            "name": .string(1...EventName.maximumLength),
            "timestamp": .of(Timestamp.self).described("By the device's clock."),
        ],
        optional: [
            "id": .string(1...EventID.maximumLength)
                .described(
                    """
                    Unique per event; each id is stored once. If absent, it is derived from client, timestamp, \
                    name, session and attributes.
                    """
                ),
            "attributes": .attributes
                .described(
                    "At most \(EventLimits.maximumAttributes); an event has at most \(EventLimits.maximumBytes) bytes."
                ),
            "sessionId": .string(0...EventCheck.maximumSessionIDLength),
            "contact": .string()
                .described("The `contactReference` of the contact that caused it; absent: the device's contact."),
        ]
    )
}

extension IncomingEventBatch: Described {
    static let schemaName = "EventBatch"
    static let schema: JSONSchema = .object(
        ["events": .list(of: .of(Event.self), 0...WireLimits.maximumEventsPerRequest)],
        optional: [
            "viewedMessages": .list(of: .anyObject).described("In-app messages that a client of version 3 displayed."),
            "clicks": .list(of: .anyObject).described("Clicks on buttons of these messages."),
            "deviceEventState": .anyObject.described("For version 4: returned unchanged."),
            "dnd": .boolean.described("Do not respond with an in-app message."),
            "language": .string(), "ems_sdk": .string(), "application_version": .string(),
        ]
    )
    .described("Events in the order in which they happened. An invalid one is reported; the others are stored.")
}

extension EventBatchResponse: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "rejected": .list(of: .of(RejectedEvent.self)).described("What was not stored, and why."),
            "oldCampaigns": .list(of: .string())
                .described("For version 3: campaigns whose displays and clicks the client may delete."),
            "deviceEventState": .anyObject.described("For version 4: the value of the request."),
            "message": .of(V3InAppMessage.self).described("For version 3: an in-app message to show at once."),
            "onEventAction": .of(OnEventAction.self).described(
                "For version 3: an action to run at once."),
        ]
    )
    .described("Details of the batch.")
}

extension RejectedEvent: Described {
    static let schema: JSONSchema = .object(
        ["index": .count.described("Its index in `events`."), "reason": .string()], optional: ["id": .string()]
    )
}
