import BelfryServices

/// A page: what stands in it, by the template that shows it.
struct Page: Sendable {
    /// As the browser's tab says it, before the product's name.
    let title: String
    /// The file in `Pages` that shows the model, without its ending.
    let template: String
    /// A value of texts, flags, lists and such values; the template names its properties.
    let model: any Sendable
    /// The entry of the navigation that it belongs to.
    let section: NavigationSection?

    init(_ title: String, template: String, section: NavigationSection? = nil, model: any Sendable) {
        self.title = title
        self.template = template
        self.section = section
        self.model = model
    }
}

/// The entries of the navigation, in its order: the parts of the console that there are.
enum NavigationSection: String, CaseIterable, Sendable {
    case home
    case campaigns
    case calendar
    case centers
    case people
    case events
    case settings
    /// Of the whole server, for its operators.
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

    /// Whether it belongs to no app.
    var isOfServer: Bool { self == .operations }

    /// Whether somebody sees it.
    ///
    /// - Parameter role: the person's in the app.
    func isShown(to role: UserRole?, isOperator: Bool) -> Bool {
        switch self {
        case .operations: isOperator
        case .settings: role?.allows(.administer) ?? false
        default: true
        }
    }

    /// Behind the address of the app; of what belongs to none, the address.
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

    /// The key that leads to it, behind `g`.
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
