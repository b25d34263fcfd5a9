import BelfryModel
import BelfryWire

extension OpenAPI {
    static let eventSchemas: [String: Schema] = [
        "Event": event,
        "EventBatch": .object(
            ["events": .list(of: .reference("Event"), 0...WireLimits.maximumEventsPerRequest)],
            optional: [
                "viewedMessages": .list(of: .anyObject).described("In-app messages that a client of version 3 showed."),
                "clicks": .list(of: .anyObject).described("Buttons of in-app messages that it saw pressed."),
                "deviceEventState": .anyObject.described("Of version 4: given back as it came."),
                "dnd": .boolean.described("No in-app message may be answered."),
                "language": .string(), "ems_sdk": .string(), "application_version": .string(),
            ]
        )
        .described("Events in the order in which they happened. A bad one is reported and the others are stored."),
        "EventBatchAnswer": .object(
            [:],
            optional: [
                "rejected": .list(of: .reference("RejectedEvent")).described("What was not stored, and why."),
                "oldCampaigns": .list(of: .string())
                    .described("Of version 3: campaigns whose displays and clicks the client may forget."),
                "deviceEventState": .anyObject.described("Of version 4: as the request had it."),
                "message": .reference("OverlayMessage").described("Of clients of version 3: what is shown at once."),
                "onEventAction": .reference("OnEventAction").described(
                    "Of clients of version 3: what is done at once."),
            ]
        )
        .described("What there is to say."),
        "RejectedEvent": .object(
            ["index": .count.described("Its place in `events`."), "reason": .string()], optional: ["id": .string()]
        ),
    ]

    private static let event: Schema = .object(
        [
            "type": .word(["custom", "internal"]).described("Tracked by the app, or made by the SDK."),
            "name": .string(1...EventName.maximumLength),
            "timestamp": .reference("Timestamp").described("By the device's clock."),
        ],
        optional: [
            "id": .string(1...EventID.maximumLength)
                .described(
                    """
                    One per event of the device: each is stored once. Absent, one is derived from client, timestamp, \
                    name, session and attributes.
                    """
                ),
            "attributes": .reference("Attributes")
                .described(
                    "At most \(EventLimits.maximumAttributes); an event has at most \(EventLimits.maximumBytes) bytes."
                ),
            "sessionId": .string(0...EventCheck.maximumSessionIDLength),
            "contact": .string()
                .described("The `contactReference` under which it happened; absent, the device's contact counts."),
        ]
    )
}
