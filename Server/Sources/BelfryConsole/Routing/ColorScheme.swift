/// The colour scheme that a person has chosen.
enum ColorScheme: String, CaseIterable, Sendable {
    case system
    case light
    case dark

    static let cookie = "belfry-scheme"

    var name: String {
        switch self {
        case .system: "As the system"
        case .light: "Light"
        case .dark: "Dark"
        }
    }
}
