import BelfryServices

/// A page: its model, and the template that renders it.
struct Page: Sendable {
    /// The title in the browser's tab, before the product's name.
    let title: String
    /// The name of the template's file in `Pages`, without its extension.
    let template: String
    /// A value of texts, flags, lists and further such values; the template uses its property names.
    let model: any Sendable
    /// The entry of the navigation to which the page belongs.
    let section: NavigationSection?

    init(_ title: String, template: String, section: NavigationSection? = nil, model: any Sendable) {
        self.title = title
        self.template = template
        self.section = section
        self.model = model
    }
}

/// The entries of the navigation, in its order.
enum NavigationSection: String, CaseIterable, Sendable {
    case home
    case campaigns
    case calendar
    case centers
    case people
    case events
    case settings
    /// The pages about the whole server, for its operators.
    case operations

    var title: String {
        switch self {
        case .home: "Home"
        case .campaigns: "Campaigns"
        case .calendar: "Calendar"
        case .centers: "Message centers"
        case .people: "People"
        case .events: "Events"
        case .settings: "Settings"
        case .operations: "Operations"
        }
    }

    /// Whether the section belongs to the server instead of an app.
    var isOfServer: Bool { self == .operations }

    /// Whether a person sees the section.
    ///
    /// - Parameter role: the person's role in the app.
    func isShown(to role: UserRole?, isOperator: Bool) -> Bool {
        switch self {
        case .operations: isOperator
        case .settings: role?.allows(.administer) ?? false
        default: true
        }
    }

    /// The path after the app's address; for a section of the server, the whole address.
    var path: String {
        switch self {
        case .home: ""
        case .campaigns: "/campaigns"
        case .calendar: "/calendar"
        case .centers: "/centers"
        case .people: "/people"
        case .events: "/events"
        case .settings: "/settings"
        case .operations: "/console/operations"
        }
    }

    /// The key that opens the section, pressed after `g`.
    var key: String {
        switch self {
        case .home: "h"
        case .campaigns: "c"
        case .calendar: "k"
        case .centers: "m"
        case .people: "p"
        case .events: "e"
        case .settings: "s"
        case .operations: "o"
        }
    }
}
