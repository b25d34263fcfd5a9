import BelfryModel
import BelfryServerModel

/// A notification on the phone of the design system, by the template `phone`. What may be missing has a name that no
/// page around it uses: a template looks for what is missing further out.
struct PhoneModel: Sendable {
    /// How the phone looks.
    enum Look: String, Sendable {
        case light = ""
        case dark
    }

    let look: String
    let lookName: String
    let initial: String
    let phoneTitle: String
    let phoneText: String
    let phoneSubtitle: String?
    let phoneImage: String?
    let phoneBadge: String?
    let phoneButtons: [String]
    let hasButtons: Bool

    init(_ push: PushContent, appName: String, look: Look) {
        self.look = look.rawValue
        lookName = look == .dark ? "On a dark screen" : "On a light screen"
        initial = LayoutModel.initials(of: String(appName.prefix(40)))
        phoneTitle = push.title
        phoneText = push.body
        phoneSubtitle = push.subtitle.flatMap { $0.isEmpty ? nil : $0 }
        // Pages show no picture by plain http.
        phoneImage = push.imageUrl.flatMap { $0.utf8.starts(with: "https://".utf8) ? $0 : nil }
        phoneBadge = Self.badge(push.badge)
        phoneButtons = (push.buttons ?? []).map(\.text)
        hasButtons = !phoneButtons.isEmpty
    }

    /// The number on the icon of somebody who had none.
    private static func badge(_ change: BadgeChange?) -> String? {
        guard let change else { return nil }
        let number = change.apply(to: 0, maximum: AppSettings.standardMaximumBadge)
        return number > 0 ? Figures.count(number) : nil
    }

    static func both(_ push: PushContent, appName: String) -> [PhoneModel] {
        [PhoneModel(push, appName: appName, look: .light), PhoneModel(push, appName: appName, look: .dark)]
    }
}
