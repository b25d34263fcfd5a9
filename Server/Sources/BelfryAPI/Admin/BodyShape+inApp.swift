extension BodyShape {
    /// The keys of a part of an in-app message; nil for any other shape.
    var inAppKeys: [String: BodyShape]? {
        switch self {
        case .inApp:
            [
                "type": .value, "priority": .value, "trigger": .trigger, "viewId": .value, "startsAt": .value,
                "endsAt": .value, "displayLimit": .value, "delaySeconds": .value, "content": .inAppContent,
                "variants": .map(.inAppVariant), "defaults": .value, "resetDisplays": .value,
            ]
        case .inAppContent:
            [
                "title": .value, "body": .value, "imageUrl": .value, "imageAlt": .value,
                "buttons": .list(.inAppButton), "action": .inAppAction, "layout": .value, "colors": .inAppColors,
                "actions": .list(.inAppAction), "html": .value,
            ]
        case .inAppVariant:
            [
                "title": .value, "body": .value, "imageUrl": .value, "imageAlt": .value, "html": .value,
                "buttons": .value,
            ]
        case .inAppButton:
            ["id": .value, "text": .value, "action": .inAppAction]
        case .inAppAction:
            // An event's attributes are the writer's own.
            ["type": .value, "url": .value, "name": .value, "attributes": .value]
        case .inAppColors:
            [
                "background": .value, "text": .value, "button": .value, "buttonText": .value, "dark": .inAppDarkColors,
            ]
        case .inAppDarkColors:
            ["background": .value, "text": .value, "button": .value, "buttonText": .value]
        case .trigger:
            ["event": .value, "where": .predicate, "occurrence": .value]
        default:
            nil
        }
    }
}
