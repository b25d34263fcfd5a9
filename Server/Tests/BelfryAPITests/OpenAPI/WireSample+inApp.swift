import BelfryModel
import BelfryServerModel
import Foundation

@testable import BelfryAPI

/// In-app messages with a value in every field, also those that exclude each other.
extension WireSample {
    private static let moment = Date(timeIntervalSince1970: 1_795_262_400)

    static func inApp() throws -> [WireSample] {
        [
            try WireSample("InAppDraft", inAppDraft), try WireSample("InAppDraftRequest", inAppRequest),
            try WireSample("InAppTrigger", trigger), try WireSample("InAppContent", content),
            try WireSample("InAppVariant", variant), try WireSample("InAppButton", button),
            try WireSample("InAppAction", action), try WireSample("InAppColors", colors),
            try WireSample("InAppDarkColors", darkColors),
        ]
    }

    static let inAppDraft = InAppDraft(
        type: .modal, priority: 5, trigger: trigger, viewId: "home", startsAt: moment,
        endsAt: moment.addingTimeInterval(3_600), displayLimit: 3, delaySeconds: 10, content: content,
        variants: ["fr": variant], defaults: ["city": "you"]
    )

    static let inAppRequest = {
        var draft = inAppDraft
        draft.$startsAt = ZonedDate(asWritten: "2026-12-01T09:00:00")
        return InAppDraftRequest(draft, resetDisplays: true)
    }()

    private static let trigger = InAppTrigger(
        event: "purchase", filter: .device(.appVersion, .startsWith("2.")), occurrence: 2
    )
    private static let action = InAppAction(
        type: .event, url: "app://x", name: "bonus", attributes: ["sku": "42", "count": 3]
    )
    private static let button = InAppButton(id: "go", text: "Go", action: action)
    private static let darkColors = InAppDarkColors(
        background: "#000000", text: "#FFFFFF", button: "#FFFFFF", buttonText: "#000000"
    )
    private static let colors = InAppColors(
        background: "#FFFFFF", text: "#000000", button: "#000000", buttonText: "#FFFFFF", dark: darkColors
    )
    private static let content = InAppContent(
        title: "Hi", body: "There", imageUrl: "https://example.com/a.png", imageAlt: "A house", buttons: [button],
        action: action, layout: .imageTitleBody, colors: colors, actions: [action], html: "<p>Hi</p>"
    )
    private static let variant = InAppVariant(
        title: "Salut", body: "Là", imageUrl: "https://example.com/b.png", imageAlt: "Une maison",
        html: "<p>Salut</p>", buttons: ["go": "Va"]
    )
}
