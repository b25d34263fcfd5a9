import BelfryModel
import BelfryServices
import Crypto
import Foundation

/// The pages of an app's settings, in the order of their navigation (CON-10).
enum SettingsPlace: String, CaseIterable, Sendable {
    case overview
    case general
    case credentials
    case identity
    case attributes
    case centers
    case badges
    case websites
    case retention
    case keys
    case people

    var title: String {
        switch self {
        case .overview: "First steps"
        case .general: "General"
        case .credentials: "Push services"
        case .identity: "Identity"
        case .attributes: "Attributes"
        case .centers: "Message centers"
        case .badges: "Badges"
        case .websites: "Websites"
        case .retention: "Retention"
        case .keys: "API keys"
        case .people: "People"
        }
    }

    /// The path after the app's address.
    var path: String { self == .overview ? "/settings" : "/settings/\(rawValue)" }
}

/// An entry of a navigation within related pages.
struct Tab: Sendable {
    let tabTitle: String
    let tabAddress: String
    let isPresent: Bool
}

/// The data that every page of the settings needs.
struct SettingsDesk: Sendable {
    let app: AppService.App
    let place: SettingsPlace
    let base: String
    let formToken: String

    init(_ call: ConsoleCall, _ place: SettingsPlace) throws {
        app = try call.inApp()
        base = call.link("")
        formToken = try call.signedIn().formToken
        self.place = place
    }

    var tabs: [Tab] {
        SettingsPlace.allCases.map { place in
            Tab(tabTitle: place.title, tabAddress: base + place.path, isPresent: place == self.place)
        }
    }

    /// The address of this page.
    var address: String { base + place.path }

    func page(_ template: String, _ model: any Sendable) -> Page {
        Page("\(place.title) · \(app.name.isolated)", template: template, section: .settings, model: model)
    }
}

/// A digest of the state that an editor began from. If the stored state has changed since, saving is refused with a
/// conflict (CON-10).
enum EditedState {
    static func text(_ parts: [String: String]) -> String {
        let lines = parts.sorted { $0.key < $1.key }.map { entry in
            "\(entry.key.utf8.count):\(entry.key)\(entry.value.utf8.count):\(entry.value)"
        }
        return SHA256.hash(data: Data(lines.joined().utf8)).prefix(12).hexText
    }

    static var conflict: ServiceError {
        .conflict(code: FormProblems.changed, message: "Somebody else has changed this meanwhile.")
    }
}
