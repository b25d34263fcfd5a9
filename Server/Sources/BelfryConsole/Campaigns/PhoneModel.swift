import BelfryModel
import BelfryServerModel

/// A notification on the design system's phone, for the template `phone`. The names of optional values are used by no
/// page around it: a template looks for a missing value in the models around it.
struct PhoneModel: Sendable {
    let look: String
    let lookName: String
    let phoneDirection: String?
    let initial: String
    let phoneTitle: String
    let phoneText: String
    let phoneSubtitle: String?
    let phoneImage: String?
    let phoneBadge: String?
    let phoneButtons: [String]
    let hasButtons: Bool

    init(_ push: PushContent, appName: String, look: PhoneLook) {
        self.init(
            title: push.title, subtitle: push.subtitle, text: push.body, image: push.imageUrl,
            badge: Self.badge(push.badge), buttons: (push.buttons ?? []).map(\.text), caption: look.words,
            appName: appName, look: look
        )
    }

    /// A message as the list of its message center shows it.
    init(_ message: MessageCenterContent, center: String, appName: String, look: PhoneLook) {
        self.init(
            title: message.subject, subtitle: nil, text: message.message, image: message.iconUrl,
            badge: Self.badge(message.badge), buttons: [], caption: "In \(center.isolated). \(look.words)",
            appName: appName,
            look: look
        )
    }

    private init(
        title: String, subtitle: String?, text: String, image: String?, badge: String?, buttons: [String],
        caption: String, appName: String, look: PhoneLook
    ) {
        self.look = look.classes
        lookName = caption
        phoneDirection = look.isRightToLeft ? "rtl" : nil
        initial = LayoutModel.initials(of: String(appName.prefix(40)))
        phoneTitle = title
        phoneText = text
        phoneSubtitle = subtitle.flatMap { $0.isEmpty ? nil : $0 }
        // Pages show no picture over plain http.
        phoneImage = image.flatMap { $0.utf8.starts(with: "https://".utf8) ? $0 : nil }
        phoneBadge = badge
        phoneButtons = buttons
        hasButtons = !buttons.isEmpty
    }

    /// The number on the icon after the push, if there was none before.
    private static func badge(_ change: BadgeChange?) -> String? {
        guard let change else { return nil }
        let number = change.apply(to: 0, maximum: AppSettings.standardMaximumBadge)
        return number > 0 ? Figures.count(number) : nil
    }

    static func both(_ push: PushContent, appName: String) -> [PhoneModel] {
        [PhoneLook(), PhoneLook(isDark: true)].map { PhoneModel(push, appName: appName, look: $0) }
    }
}
