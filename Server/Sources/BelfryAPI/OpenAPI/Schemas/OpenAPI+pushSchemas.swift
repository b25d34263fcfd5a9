import BelfryModel

extension OpenAPI {
    static let pushSchemas: [String: Schema] = [
        "PushContent": .object(
            ["title": .string().described("Not blank."), "body": .string().described("Not blank.")],
            optional: [
                "subtitle": .string(),
                "imageUrl": .string(format: "uri").described("An https URL."),
                "sound": .string(),
                "action": .reference("NotificationAction").described("What opening it does; default: the app starts."),
                "buttons": .list(of: .reference("NotificationButton"), 0...4),
                "collapseId": .string(1...64)
                    .described("At most 64 bytes: a later message with it replaces an earlier one."),
                "ttlSeconds": .integer(0...2_419_200)
                    .described("How long the push service keeps trying; default: four weeks."),
                "priority": .number([1, 5, 10])
                    .described("10 at once (default), 5 to spare the device's power, 1 above all to spare it."),
                "custom": .reference("Attributes").described("The app's own keys beside `aps` and `belfry`."),
            ],
            isClosed: true
        )
        .described("What a notification says and does; as sent to APNs it has at most 4,096 bytes."),
        "NotificationAction": .object(
            ["type": .word(NotificationAction.Kind.allCases.map(\.rawValue))],
            optional: ["url": .string(format: "uri").described("Asked for by `openUrl`: with a scheme.")],
            isClosed: true
        )
        .described("This version has `launchApp` and `openUrl`."),
        "NotificationButton": .object(
            ["id": .string().described("Not blank."), "text": .string().described("Not blank.")],
            optional: ["action": .reference("NotificationAction")], isClosed: true
        ),
    ]
}
